#!/usr/bin/env bash
# Compares Rivulet with its peers and writes docs/results/peers.csv and peers.md. From the root of the repository, after a
# release build: bench/peers/run.sh [SEEDS]. The environments are made once, under build/peers. Takes about ten minutes of one core.
# bench/peers/run.sh --quick installs and publishes nothing: our side of every comparison, with a few rows, to show that it runs.
# PYTHON then names a Python with NumPy and SciPy. RELEASE names another build than build/release, PEERS_WORK another folder to work in.
set -euo pipefail
cd "$(dirname "$0")/../.."

quick=
if [[ ${1:-} == --quick ]]; then quick=1; shift; fi
seeds=${1:-10}
here=bench/peers
work=${PEERS_WORK:-build/peers}
python=${PYTHON:-python3}
release=${RELEASE:-build/release}
data=${PEERS_DATA:-data}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TF_CPP_MIN_LOG_LEVEL=3 JAX_PLATFORMS=cpu

for program in rivulet kernel_bench scaling_bench; do
  if [[ ! -x $release/$program ]]; then
    echo "peers: $release/$program is missing; make peers builds it" >&2
    exit 2
  fi
done
if ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2])'; then
  echo "peers: Python 3.11 or later is needed; name one with PYTHON=" >&2
  exit 2
fi
mkdir -p "$work"

if [[ $quick ]]; then
  "$python" $here/speed.py --ours-only --build "$release" --work "$work/work" >"$work/speed.json"
  "$python" $here/noise.py --ours-only --rivulet "$release/rivulet" --out "$work/noise.csv" --timings "$work/noise-timings.json"
  "$python" $here/accuracy.py --ours-only --rivulet "$release/rivulet" --data "$data" --work "$work/work" --seeds 1 --out "$work/accuracy.csv"
  echo "peers: our side runs; nothing was compared" >&2
  exit 0
fi

# Where the pins have changed, the environment is made anew.
environment() {
  local folder=$1 pins=$2
  if ! cmp -s "$pins" "$folder/pins.txt"; then
    echo "peers: making the environment $folder" >&2
    rm -rf "$folder"
    "$python" -m venv "$folder" || return 1
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$pins" || return 1
    shift 2
    if (($#)); then
      "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$@" || return 1
    fi
    cp "$pins" "$folder/pins.txt"
  fi
}

environment "$work/venv" $here/requirements.txt
tensorflow=()
rm -f "$work/tensorflow.json"
if environment "$work/tensorflow" $here/requirements-tensorflow.txt tensorflow-privacy==0.9.0; then
  echo "peers: TensorFlow Privacy's tree" >&2
  "$work/tensorflow/bin/python" $here/tensorflow_tree.py 66 5151 >"$work/tensorflow.json" 2>"$work/tensorflow.log"
  tensorflow=(--tensorflow "$work/tensorflow.json")
else
  echo "peers: TensorFlow Privacy cannot be installed for this Python (it wants one below 3.12); left out" >&2
fi
venv=$work/venv/bin/python
"$venv" $here/speed.py --build "$release" --work "$work/work" "${tensorflow[@]}" >"$work/speed.json"
"$venv" $here/noise.py --rivulet "$release/rivulet" "${tensorflow[@]}" --out "$work/noise.csv" --timings "$work/noise-timings.json" \
  2>"$work/noise.log"
"$venv" $here/accuracy.py --rivulet "$release/rivulet" --data "$data" --work "$work/work" --seeds "$seeds" --out "$work/accuracy.csv"

versions=$("$venv" -m pip freeze --disable-pip-version-check |
  grep -iE '^(diffprivlib|dp-accounting|jax|jaxlib|jax.privacy|numpy|river|scikit-learn|scipy)==' | sed 's/==/ /' | paste -sd, | sed 's/,/, /g')
if [[ ${#tensorflow[@]} -gt 0 ]]; then versions+=", tensorflow-privacy 0.9.0, tensorflow-cpu 2.15.1"; fi
machine="$(getconf _NPROCESSORS_ONLN) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $("$python" --version)"
"$venv" $here/report.py "$work" docs/results --versions "$versions" --machine "$machine"
echo "peers: docs/results/peers.md, docs/results/peers.csv" >&2
