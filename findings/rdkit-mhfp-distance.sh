#!/usr/bin/env bash
# Software: RDKit 2022.09.3 (python3-rdkit 202209.3-1 of Debian 12), MHFPEncoder.Distance() of MinHash fingerprints.
# Guess: the distance of two sketches is 1 minus the share of equal values, so 0 for equal molecules.
# Seen: it is the share itself: 1 for equal sets, 0 for disjoint ones. The nearest by this distance is the least similar.
# Why it matters: molecules sorted by "distance", clusters and thresholds come out reversed, and nothing fails. Compare a row with
#   itself before the sketches of a library are stored or its distances are used.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cd "$dir"
apt-get -qq -o APT::Sandbox::User=root download python3-rdkit=202209.3-1 librdkit1=202209.3-1 libboost-python1.74.0 \
	libboost-serialization1.74.0 libboost-iostreams1.74.0 libmaeparser1 libcoordgen3 python3-numpy libblas3 liblapack3 libgfortran5 \
	libquadmath0 libpython3.11 libexpat1 libbz2-1.0 libcairo2 libpixman-1-0 libfontconfig1 libfreetype6 libpng16-16 libbrotli1 \
	libxcb-shm0 libxcb1 libxcb-render0 libxrender1 libx11-6 libxext6 libxau6 libxdmcp6 libbsd0 libmd0
for deb in *.deb; do dpkg-deb -x "$deb" .; done
for lib in "$dir"/usr/lib/*-linux-gnu "$dir"/lib/*-linux-gnu; do
	if [ -d "$lib" ]; then LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-$dir/usr/lib}:$lib:$lib/blas:$lib/lapack; fi
done
export LD_LIBRARY_PATH PYTHONPATH=$dir/usr/lib/python3/dist-packages
/usr/bin/python3 - <<'PY' | tee seen
from rdkit import Chem
from rdkit.Chem.rdMHFPFingerprint import MHFPEncoder

encoder = MHFPEncoder(2048, 42)


def sketch(start):
    return encoder.FromArray([value * 2654435761 % 2**32 for value in range(start, start + 100)])


for name, start in (("equal", 0), ("overlapping (Jaccard .33)", 50), ("disjoint", 100)):
    print(f"{name} sets: {encoder.Distance(sketch(0), sketch(start)):.2f}")
aspirin = encoder.EncodeMol(Chem.MolFromSmiles("CC(=O)Oc1ccccc1C(=O)O"))
for name, smiles in (("aspirin", "OC(=O)c1ccccc1OC(C)=O"), ("aspirin's amide", "CC(=O)Oc1ccccc1C(=O)N"), ("hexane", "CCCCCC")):
    print(f"aspirin and {name}: {encoder.Distance(aspirin, encoder.EncodeMol(Chem.MolFromSmiles(smiles))):.2f}")
PY
diff seen - <<'END'
equal sets: 1.00
overlapping (Jaccard .33) sets: 0.27
disjoint sets: 0.00
aspirin and aspirin: 1.00
aspirin and aspirin's amide: 0.49
aspirin and hexane: 0.02
END
