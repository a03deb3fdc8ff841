"""Operations that are written once and called in two ways: waiting (`Client`) or awaiting (`AsyncClient`).

An operation is a method that returns a `Flow` or a `Stream`. Its decorator turns it into a method that runs these steps
with the client of its object: on a waiting one it returns the result, on an awaiting one an awaitable of it. Types of
parameters and results are kept for both.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, cast, overload

from interrater_client.requests import Server
from interrater_client.steps import Flow, Step, Stream

T = TypeVar("T")
P = ParamSpec("P")


class Caller:
    """Something with operations; its server is that of its client."""

    server: Server


class Waiting(Caller):
    """A caller whose operations return when they are done."""

    def run(self, flow: Flow[T]) -> T:
        raise NotImplementedError

    def iterate(self, stream: Generator[Step, Any, None]) -> Iterator[Any]:
        raise NotImplementedError


class Awaiting(Caller):
    """A caller whose operations are awaited."""

    async def run(self, flow: Flow[T]) -> T:
        raise NotImplementedError

    def iterate(self, stream: Generator[Step, Any, None]) -> AsyncIterator[Any]:
        raise NotImplementedError


class Operation(Generic[P, T]):
    """A method that returns one result."""

    def __init__(self, function: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    @overload
    def __get__(self, instance: None, owner: type) -> Operation[P, T]: ...
    @overload
    def __get__(self, instance: Waiting, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, instance: Awaiting, owner: type) -> Callable[P, Awaitable[T]]: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self

        def called(*args: P.args, **kwargs: P.kwargs) -> Any:
            return instance.run(self.function(instance, *args, **kwargs))

        called.__doc__, called.__name__ = self.__doc__, self.__name__
        return called

    def flow(self, instance: Caller, *args: P.args, **kwargs: P.kwargs) -> Flow[T]:
        """The steps alone, for other operations."""
        return self.function(instance, *args, **kwargs)


class Listing(Generic[P, T]):
    """A method over whose results one loops: `for`, or `async for`."""

    def __init__(self, function: Callable[Concatenate[Any, P], Stream]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    @overload
    def __get__(self, instance: None, owner: type) -> Listing[P, T]: ...
    @overload
    def __get__(self, instance: Waiting, owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, instance: Awaiting, owner: type) -> Callable[P, AsyncIterator[T]]: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self

        def called(*args: P.args, **kwargs: P.kwargs) -> Any:
            return instance.iterate(self.function(instance, *args, **kwargs))

        called.__doc__, called.__name__ = self.__doc__, self.__name__
        return called


def operation(function: Callable[Concatenate[Any, P], Flow[T]]) -> Operation[P, T]:
    """Make an operation of a method that returns the steps to one result."""
    return Operation(function)


def listing(of: type[T]) -> Callable[[Callable[Concatenate[Any, P], Stream]], Listing[P, T]]:
    """Make a listing of a method whose steps give values of this type."""

    def made(function: Callable[Concatenate[Any, P], Stream]) -> Listing[P, T]:
        return cast("Listing[P, T]", Listing(function))

    return made
