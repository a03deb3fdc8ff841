"""What workers compute or write once and everybody sees or downloads: reports, exports, bundles.

Read `data_state` first (which changes of a study make results outdated), then `kept_reports` and `kept_exports`, their
only writers. `figure_files` exports with reports, `bundle_folder` writes bundles, `freezing` keeps a report for good.
"""
