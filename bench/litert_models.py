"""Writes a network as a LiteRT (.tflite) model, without TensorFlow, and runs it.

A .tflite file is a flatbuffer. The `ai-edge-litert` package, which runs the models, also has the classes generated from
the schema of the file. A model is built from these: `ModelT` holds the buffers (bytes), the tensors (shape, type,
buffer) and the operators (code, options, tensor indices).

The int8 form is full-integer quantisation as in TensorFlow's converter: int8 activations, int8 weights with one scale
per output channel, int32 biases.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from networks import Step

from train_host.baselines.small_networks import INPUT_SHAPE, Conv, Dense, Depthwise, Flatten, MaxPool, Mean

CODES = schema.BuiltinOperator
FUSED = {
    "none": schema.ActivationFunctionType.NONE,
    "relu": schema.ActivationFunctionType.RELU,
    "relu6": schema.ActivationFunctionType.RELU6,
}
TYPES = {
    "float32": schema.TensorType.FLOAT32,
    "int8": schema.TensorType.INT8,
    "int32": schema.TensorType.INT32,
}
INT8_VERSIONS = {CODES.CONV_2D: 3, CODES.DEPTHWISE_CONV_2D: 3, CODES.FULLY_CONNECTED: 4, CODES.MEAN: 2}
FORMAT_VERSION, FILE_IDENTIFIER = 3, b"TFL3"


@dataclass(frozen=True)
class Scale:
    """Quantisation: real = scale * (stored - zero), with one scale for the tensor or one per index along `axis`."""

    scale: np.ndarray
    zero: int = 0
    axis: int = 0

    @classmethod
    def over(cls, low: float, high: float) -> "Scale":
        """The int8 scale that uses all 256 values for this range."""
        step = np.float32((high - low) / 255)
        return cls(np.array([step]), round(-128 - low / float(step)))


# ReLU6 activations need no calibration; the range of the class scores is chosen wide enough.
INPUT_SCALE, HIDDEN_SCALE, SCORE_SCALE = Scale.over(0, 1), Scale.over(0, 6), Scale.over(-8, 8)


def tflite(steps: Sequence[Step], *, int8: bool = False) -> bytes:
    """The model file of a network; `int8` is for networks whose hidden activations are all ReLU6."""
    writer = _Writer(int8)
    for step in steps:
        writer.add(step, last=step is steps[-1])
    return writer.file()


class _Writer:
    """Collects tensors and operators in the order in which they run."""

    def __init__(self, int8: bool) -> None:
        self._int8 = int8
        self._buffers = [schema.BufferT()]  # by convention, the first is empty and belongs to all computed tensors
        self._tensors: list[schema.TensorT] = []
        self._operators: list[schema.OperatorT] = []
        self._codes: list[int] = []
        self._scale = INPUT_SCALE
        self._last = self._activation(INPUT_SHAPE, INPUT_SCALE)

    def add(self, step: Step, *, last: bool) -> None:
        """Add an operator that reads the output of the one before."""
        code, options_type, options, inputs = self._operator(step)
        operator = schema.OperatorT()
        if code not in self._codes:
            self._codes.append(code)
        operator.opcodeIndex = self._codes.index(code)
        operator.builtinOptionsType, operator.builtinOptions = options_type, options
        operator.inputs = [self._last, *inputs]
        self._scale = SCORE_SCALE if last else HIDDEN_SCALE
        self._last = self._activation(step.after, self._scale)
        operator.outputs = [self._last]
        self._operators.append(operator)

    def file(self) -> bytes:
        """The flatbuffer; its output is that of the last operator."""
        graph = schema.SubGraphT()
        graph.name = "main"
        graph.tensors, graph.operators = self._tensors, self._operators
        graph.inputs, graph.outputs = [0], [self._last]
        model = schema.ModelT()
        model.version = FORMAT_VERSION
        model.buffers, model.subgraphs = self._buffers, [graph]
        model.operatorCodes = [self._operator_code(code) for code in self._codes]
        builder = flatbuffers.Builder(1 << 16)
        builder.Finish(model.Pack(builder), FILE_IDENTIFIER)
        return bytes(builder.Output())

    def _operator(self, step: Step) -> tuple[int, int, Any, list[int]]:
        """The operator's code, the type of its options, the options, and its input tensors besides the picture."""
        kinds = schema.BuiltinOptions
        match step.layer:
            case Conv(stride=stride, same=same, activation=activation):
                conv = _strided(schema.Conv2DOptionsT(), stride, same)
                conv.fusedActivationFunction = FUSED[activation]
                return CODES.CONV_2D, kinds.Conv2DOptions, conv, self._weights(step, axis=0)
            case Depthwise(stride=stride, activation=activation):
                depthwise = _strided(schema.DepthwiseConv2DOptionsT(), stride, same=True)
                depthwise.depthMultiplier, depthwise.fusedActivationFunction = 1, FUSED[activation]
                return CODES.DEPTHWISE_CONV_2D, kinds.DepthwiseConv2DOptions, depthwise, self._weights(step, axis=3)
            case MaxPool():
                pool = _strided(schema.Pool2DOptionsT(), 2, same=False)
                pool.filterWidth = pool.filterHeight = 2
                return CODES.MAX_POOL_2D, kinds.Pool2DOptions, pool, []
            case Flatten():
                reshape = schema.ReshapeOptionsT()
                reshape.newShape = list(step.after)
                return CODES.RESHAPE, kinds.ReshapeOptions, reshape, [self._constant(np.array(step.after, np.int32))]
            case Mean():
                rows_and_columns = np.array([1, 2], np.int32)
                return CODES.MEAN, kinds.ReducerOptions, schema.ReducerOptionsT(), [self._constant(rows_and_columns)]
            case Dense(activation=activation):
                dense = schema.FullyConnectedOptionsT()
                dense.fusedActivationFunction = FUSED[activation]
                return CODES.FULLY_CONNECTED, kinds.FullyConnectedOptions, dense, self._weights(step, axis=0)

    def _weights(self, step: Step, axis: int) -> list[int]:
        """The tensors of kernel and bias. In int8, the scale of an output channel is set by its largest weight."""
        if not self._int8:
            return [self._constant(step.kernel), self._constant(step.bias)]
        others = tuple(i for i in range(step.kernel.ndim) if i != axis)
        scale = np.abs(step.kernel).max(axis=others) / np.float32(127)
        along = [-1 if i == axis else 1 for i in range(step.kernel.ndim)]
        kernel = np.rint(step.kernel / scale.reshape(along)).astype(np.int8)
        bias_scale = scale * self._scale.scale
        bias = np.rint(step.bias / bias_scale).astype(np.int32)
        return [self._constant(kernel, Scale(scale, axis=axis)), self._constant(bias, Scale(bias_scale))]

    def _constant(self, values: np.ndarray, scale: Scale | None = None) -> int:
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(values.tobytes(), np.uint8)
        self._buffers.append(buffer)
        return self._tensor(values.shape, TYPES[values.dtype.name], scale, buffer=len(self._buffers) - 1)

    def _activation(self, shape: tuple[int, ...], scale: Scale) -> int:
        if self._int8:
            return self._tensor(shape, schema.TensorType.INT8, scale, buffer=0)
        return self._tensor(shape, schema.TensorType.FLOAT32, None, buffer=0)

    def _tensor(self, shape: tuple[int, ...], kind: int, scale: Scale | None, *, buffer: int) -> int:
        tensor = schema.TensorT()
        tensor.name = f"tensor_{len(self._tensors)}"
        tensor.shape, tensor.type, tensor.buffer = list(shape), kind, buffer
        if scale is not None:
            tensor.quantization = quantization = schema.QuantizationParametersT()
            quantization.scale = [float(value) for value in scale.scale]
            quantization.zeroPoint = [scale.zero] * len(scale.scale)
            quantization.quantizedDimension = scale.axis
        self._tensors.append(tensor)
        return len(self._tensors) - 1

    def _operator_code(self, code: int) -> schema.OperatorCodeT:
        entry = schema.OperatorCodeT()
        entry.builtinCode = code
        entry.deprecatedBuiltinCode = code  # the old 8-bit field is still checked; all our codes fit
        entry.version = INT8_VERSIONS.get(code, 1) if self._int8 else 1
        return entry


def _strided(options: Any, stride: int, same: bool) -> Any:
    """Set the options that convolutions and pools share."""
    options.strideW = options.strideH = stride
    options.padding = schema.Padding.SAME if same else schema.Padding.VALID
    return options


class Network:
    """A model in LiteRT on one thread. XNNPACK, its default, runs both the float and the int8 form."""

    def __init__(self, model: bytes) -> None:
        self._interpreter = Interpreter(model_content=model, num_threads=1)
        self._interpreter.allocate_tensors()
        (given,), (scores,) = self._interpreter.get_input_details(), self._interpreter.get_output_details()
        self._given, self._scores = given["index"], scores["index"]
        self.dtype: type[np.generic] = given["dtype"]
        self.invoke: Callable[[], None] = self._interpreter.invoke  # the network alone, on the last picture

    def scores(self, picture: np.ndarray) -> np.ndarray:
        """Class scores (1, classes) of a picture of INPUT_SHAPE and `dtype`: all steps that one image takes."""
        self._interpreter.set_tensor(self._given, picture)
        self._interpreter.invoke()
        scores: np.ndarray = self._interpreter.get_tensor(self._scores)
        return scores
