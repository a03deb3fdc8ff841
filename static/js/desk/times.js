// Times in the person's time zone, if they have chosen one, otherwise in this computer's; without scripts the server's text stays.

import { gettext } from "../gettext.js";

export function localTimes(root) {
  const timeZone = document.documentElement.dataset.zone || undefined;
  const language = window.interraterLanguage ? document.documentElement.lang : undefined; // English: as the browser does
  for (const node of root.querySelectorAll("time[data-local]")) {
    const at = new Date(node.dateTime);
    const day = (moment) => moment.toLocaleDateString("en", { timeZone });
    const today = day(at) === day(new Date());
    const options = today ? { timeStyle: "short", timeZone } : { dateStyle: "medium", timeStyle: "short", timeZone };
    const when = at.toLocaleString(language, options);
    node.textContent = today ? gettext("at %(when)s", { when }) : gettext("on %(when)s", { when });
  }
}
