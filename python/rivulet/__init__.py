"""Private, living regression models from streams of sensitive rows.

    >>> import rivulet
    >>> stream = rivulet.Stream(budget=(1, 1e-6), bounds={"x": (-1, 1), "y": (-1, 1)}, target="y", release_every=2)
    >>> stream.observe({"x": 0.5}, 0.25), stream.observe({"x": -0.5}, -0.25)
    (False, True)
    >>> stream.model().rows
    2

`rivulet.sklearn` has estimators for scikit-learn, `rivulet.river` for River.
"""

from __future__ import annotations

from ._core import Inference, Model, NoiseLevel, Release, Schema, Statistics
from ._core import version as __version__
from ._errors import (DamagedFile, Error, HorizonExceeded, IoError, ModelConflict, PrivacyError, PrivacyWarning,
                      RequestError)
from ._guard import forget_rows
from ._log import ReleaseLog
from ._plan import Plan, plan
from ._published import Prediction, Published, Releases
from ._settings import Block, Budget
from ._stream import Stream
from ._summary import Summary, SummaryLine

__all__ = ["Block", "Budget", "DamagedFile", "Error", "HorizonExceeded", "Inference", "IoError", "Model", "ModelConflict",
           "NoiseLevel", "Plan", "Prediction", "PrivacyError", "PrivacyWarning", "Published", "Release", "ReleaseLog", "Releases",
           "RequestError", "Schema", "Statistics", "Stream", "Summary", "SummaryLine", "__version__", "forget_rows", "plan"]
