"""The bundle of a page's script: its modules in the order of their imports, and nothing that is not understood."""

import pytest

from config.script_bundles import ScriptRefusedError, bundles

START = 'import { Box, sum as add } from "./parts/box.js";\n\nnew Box(add(1));\n'
BOX = 'import { one } from "../one.js";\n\nexport class Box {}\n\nexport function sum(n) {\n  return n + one;\n}\n'
ONE = "// export default is only spoken of\nexport const one = 1;\nconst own = 2;\n"
WHOLE = {"js/start.js": START, "js/parts/box.js": BOX, "js/one.js": ONE, "js/alone.js": "hello();\n"}


def test_a_script_that_nothing_imports_becomes_one_file_with_all_that_it_needs():
    made = bundles(WHOLE)
    assert sorted(made) == ["js/alone.js", "js/start.js"]
    assert made["js/alone.js"] == WHOLE["js/alone.js"]
    text = made["js/start.js"]
    assert [line for line in text.splitlines() if line.startswith("//")][0:1] == ["// js/one.js"]
    assert text.index("const module0") < text.index("const module1") < text.index("const module2")
    assert "const { Box, sum: add } = module1;" in text
    assert "return { one };" in text
    assert "import" not in text
    assert "only spoken of" not in text


@pytest.mark.parametrize(
    "line",
    [
        'import * as all from "./one.js";', 'import Whole from "./one.js";', 'import "./one.js";',
        'export default 1;', "export { one };", 'const late = await import("./one.js");', "export let one = 1;",
        'import { one } from "somewhere";',
    ],
)  # fmt: skip
def test_other_forms_of_import_and_export_are_refused(line):
    with pytest.raises(ScriptRefusedError, match=r"js/start\.js"):
        bundles({**WHOLE, "js/start.js": f"{START}{line}\n"})
    if "somewhere" not in line:
        with pytest.raises(ScriptRefusedError, match=r"js/alone\.js"):
            bundles({**WHOLE, "js/alone.js": f"{line}\n"})


def test_scripts_that_import_each_other_or_what_is_not_there_are_refused():
    with pytest.raises(ScriptRefusedError, match="imports itself by way of"):
        bundles({**WHOLE, "js/one.js": f'import {{ Box }} from "./parts/box.js";\n{ONE}'})
    with pytest.raises(ScriptRefusedError, match="which is not there"):
        bundles({"js/start.js": START})
