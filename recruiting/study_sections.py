"""The sections of study files that recruiting brings."""

from annotation.studies.file_sections import StudySection
from annotation.studies.pace_plan import PACE, why_no_pace
from annotation.studies.routing_plan import ROUTING, why_no_routing
from recruiting.dry_runs.dry_run_mark import DRY_RUN, why_no_mark
from recruiting.mail.mail_section import MAIL, why_no_mail
from recruiting.routing.routing_section import begin_routing
from recruiting.second_stage.stage_section import ADJUDICATION, why_no_stage
from recruiting.stopping.fixing import fix_plan
from recruiting.stopping.plan_spec import STOPPING, why_no_plan

SECTIONS = (
    StudySection(STOPPING, why_no_plan, fix_plan),
    StudySection(ROUTING, why_no_routing, begin_routing),
    StudySection(PACE, why_no_pace),
    StudySection(DRY_RUN, why_no_mark),
    StudySection(MAIL, why_no_mail),
    StudySection(ADJUDICATION, why_no_stage),
)
