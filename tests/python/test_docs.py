"""What the documentation shows is run."""

from __future__ import annotations

import doctest
import importlib
import os

import pytest

import rivulet
from conftest import BUILD, SOURCE


@pytest.mark.parametrize("module", ["rivulet", "rivulet._stream", "rivulet._published", "rivulet._core", "rivulet.sklearn", "rivulet.river"])
def test_examples_in_docstrings_are_true(module):
    found = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0 and found.attempted > 0


@pytest.mark.filterwarnings("ignore::rivulet.PrivacyWarning")
def test_examples_of_the_guide_are_true():
    found = doctest.testfile(str(SOURCE / "docs" / "python.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0 and found.attempted > 20


def test_the_api_page_names_what_there_is():
    page = (SOURCE / "docs" / "python-api.md").read_text()
    for name in rivulet.__all__:
        if name not in ("Error", "NoiseLevel", "Prediction", "Published", "SummaryLine", "__version__"):
            assert f"`{name}" in page, name
    for kind in (rivulet.Stream, rivulet.Releases, rivulet.ReleaseLog):
        for name in dir(kind):
            if not name.startswith("_"):
                assert f"`{name}" in page or f".{name}(" in page, name
    import inspect

    for name in inspect.signature(rivulet.Stream).parameters:
        assert f"`{name}`" in page, name


def test_the_notebook_runs(monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    # The kernel is a process of its own, and finds the package of the build.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(BUILD / "python"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    notebook = nbformat.read(SOURCE / "docs" / "examples" / "flights.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(SOURCE / "docs" / "examples")}}).execute()
    kinds = {kind for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= kinds
    assert not any(output.output_type == "error" for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs)


def test_type_hints_hold():
    mypy = pytest.importorskip("mypy.api")
    told, errors, status = mypy.run(["--config-file", str(SOURCE / "pyproject.toml"), "--cache-dir", str(BUILD / "mypy"), str(BUILD / "python" / "rivulet")])
    assert status == 0, told + errors
