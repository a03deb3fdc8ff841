from django.urls import path

from reports.pages import export_views, judge_views, rater_checks_page, views

app_name = "reports"
urlpatterns = [
    path("studies/<slug:slug>/report/", views.report, name="report"),
    path("studies/<slug:slug>/report/glance/", views.glance, name="glance"),
    path("studies/<slug:slug>/report/glance/files/<slug:key>.<slug:ending>", views.glance_file, name="glance_file"),
    path("studies/<slug:slug>/report/plots/<slug:key>/", views.report_plot, name="report_plot"),
    path("studies/<slug:slug>/report/plots/<slug:key>.<slug:ending>", views.report_plot, name="report_plot_file"),
    path("studies/<slug:slug>/report/files/<slug:key>.<slug:ending>", views.report_file, name="report_file"),
    path("studies/<slug:slug>/leaderboard/", judge_views.judges, name="leaderboard"),
    path(
        "studies/<slug:slug>/leaderboard/files/<slug:key>.<slug:ending>",
        judge_views.leaderboard_file,
        name="leaderboard_file",
    ),
    path("studies/<slug:slug>/leaderboard/plots/<slug:key>/", judge_views.leaderboard_plot, name="leaderboard_plot"),
    path(
        "studies/<slug:slug>/leaderboard/plots/<slug:key>.<slug:ending>",
        judge_views.leaderboard_plot,
        name="leaderboard_plot_file",
    ),
    path("studies/<slug:slug>/leaderboard/freeze/", judge_views.freeze_report, name="freeze"),
    path("studies/<slug:slug>/frozen/<slug:key>/", judge_views.frozen, name="frozen"),
    path("studies/<slug:slug>/tables/", judge_views.tables, name="tables"),
    path("studies/<slug:slug>/tables/<slug:key>.<slug:ending>", judge_views.table_file, name="table_file"),
    path("studies/<slug:slug>/tables/plots/<slug:key>/", judge_views.table_plot, name="table_plot"),
    path("studies/<slug:slug>/tables/plots/<slug:key>.<slug:ending>", judge_views.table_plot, name="table_plot_file"),
    path("studies/<slug:slug>/export/", export_views.exports, name="exports"),
    path("studies/<slug:slug>/export/<int:pk>/file", export_views.export_file, name="export_file"),
    path("studies/<slug:slug>/rater-checks/", rater_checks_page.rater_checks, name="rater_checks"),
    path("statistics/", views.statistics, name="statistics"),
]
