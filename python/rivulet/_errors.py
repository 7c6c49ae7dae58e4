"""What can go wrong. No message contains a value taken from a row."""

from __future__ import annotations


class Error(Exception):
    """Base of everything Rivulet raises on purpose."""


class RequestError(Error, ValueError):
    """What was asked for cannot be done; `field` names the setting or column, the text says what is accepted."""

    field: str = ""


class IoError(Error, OSError):
    """A file or stream could not be opened, read or written."""


class DamagedFile(Error):
    """A model file that is not one, is damaged, or was made by a newer version. It was left as it was."""


class ModelConflict(Error):
    """The model is in use by another process, or behind what was already published from it."""


class HorizonExceeded(Error):
    """The steps the promise covers are used up. Everything already published stays valid."""


class PrivacyError(Error):
    """Refused, because it would spend the budget a second time."""


class PrivacyWarning(UserWarning):
    """What is about to happen costs more privacy than it seems."""
