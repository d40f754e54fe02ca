"""Graphs of networks on arrays: numpy's, with a product of matrices of one's own, or JAX's."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

TYPES = {
    TensorProto.INT8: "int8",
    TensorProto.INT32: "int32",
    TensorProto.BOOL: "bool",
    TensorProto.FLOAT: "float32",
}

Loop = Callable[[Any, Any, Callable[[Any, Any], Any]], Any]


def evaluate(graph: Any, values: dict[str, Any], numbers: Any, matmul: Callable[..., Any], loop: Loop) -> Any:
    """The first output of a graph. `numbers` is numpy or a module like it; `values` has inputs and constants by name."""
    simple = {
        "Add": numbers.add,
        "Sub": numbers.subtract,
        "Mul": numbers.multiply,
        "Div": numbers.floor_divide,
        "Mod": numbers.mod,
        "Round": numbers.rint,
        "MatMul": matmul,
        "Where": numbers.where,
        "Shape": lambda x: x.shape,
        "Identity": lambda x: x,
    }
    for node in graph.node:
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        inputs = [values[name] for name in node.input]
        if node.op_type == "Split":
            cuts = np.cumsum(np.asarray(inputs[1]))[:-1]
            parts = numbers.split(inputs[0], [int(cut) for cut in cuts], axis=attributes["axis"])
            values.update(zip(node.output, parts, strict=True))
            continue
        if node.op_type in simple:
            result = simple[node.op_type](*inputs)
        elif node.op_type == "MatMulInteger":
            result = matmul(inputs[0].astype("int32"), inputs[1].astype("int32"))
        elif node.op_type == "Concat":
            result = numbers.concatenate(inputs, axis=attributes["axis"])
        elif node.op_type == "Cast":
            result = inputs[0].astype(TYPES[attributes["to"]])
        elif node.op_type == "Gather":
            result = inputs[0][inputs[1]]
        elif node.op_type == "Loop":
            body = attributes["body"]
            turn_name, _, state_name = (port.name for port in body.input)

            def turn(index: Any, state: Any, body: Any = body, names: Any = (turn_name, state_name)) -> Any:
                inner = values | {names[0]: index, names[1]: state, "go": True}
                evaluate(body, inner, numbers, matmul, loop)
                return inner[body.output[1].name]

            result = loop(inputs[0], inputs[2], turn)
        else:
            raise ValueError(f"networks have no {node.op_type}")
        values[node.output[0]] = result
    return values[graph.output[0].name]


def constants_of(graph: Any) -> dict[str, Any]:
    """The constants of a graph, by name."""
    return {t.name: numpy_helper.to_array(t) for t in graph.initializer}


def jax_function(graph: Any) -> Callable[..., Any]:
    """A graph as a function of its inputs for JAX."""
    jax = importlib.import_module("jax")
    jnp = jax.numpy
    constants = constants_of(graph)
    sizes = {name: value for name, value in constants.items() if name.startswith("sizes_") or name == "zero"}
    arrays = {name: jnp.asarray(value) for name, value in constants.items() if name not in sizes}
    for name, value in constants.items():
        if value.dtype == np.float64 and arrays[name].dtype != np.float64:
            raise ValueError("double precision takes jax.config.update('jax_enable_x64', True)")

    def matmul(x: Any, y: Any) -> Any:
        return jnp.matmul(x, y, precision=jax.lax.Precision.HIGHEST)

    def loop(turns: Any, state: Any, body: Callable[[Any, Any], Any]) -> Any:
        return jax.lax.fori_loop(0, turns, body, state)

    def function(*inputs: Any) -> Any:
        names = [port.name for port in graph.input]
        values = arrays | sizes | dict(zip(names, inputs, strict=True))
        return evaluate(graph, values, jnp, matmul, loop)

    return function
