#!/usr/bin/env bash
# Software: RDKit 2022.09.3 (python3-rdkit 202209.3-1 of Debian 12), rdkit.DataStructs and RDKFingerprint() with its defaults.
# Guess: the similarity of two fingerprints without any bit is the same for all kinds of fingerprint, and for Tanimoto and Dice,
#   which can be computed from each other.
# Seen: for bit vectors, Tanimoto is 1, Dice, cosine and others are 0, and Sokal is NaN. For vectors of counts, Tanimoto is 0. A
#   molecule of one heavy atom has no path, hence no bit: by Tanimoto methane equals ammonia, by Dice not even itself.
# Why it matters: rows without features form one cluster, or none, depending on the measure. Set them apart before any comparison.

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
from rdkit import Chem, DataStructs

methane, ammonia = (Chem.RDKFingerprint(Chem.MolFromSmiles(smiles)) for smiles in "CN")
print("bits:", methane.GetNumOnBits(), ammonia.GetNumOnBits())
for measure in ("Tanimoto", "Dice", "Cosine", "Kulczynski", "BraunBlanquet", "Sokal"):
    similarity = getattr(DataStructs, measure + "Similarity")
    print(measure, "of methane and ammonia:", similarity(methane, ammonia), "of methane and itself:", similarity(methane, methane))
counts = DataStructs.UIntSparseIntVect(64)
print("Tanimoto of empty counts and themselves:", DataStructs.TanimotoSimilarity(counts, counts))
PY
diff seen - <<'END'
bits: 0 0
Tanimoto of methane and ammonia: 1.0 of methane and itself: 1.0
Dice of methane and ammonia: 0.0 of methane and itself: 0.0
Cosine of methane and ammonia: 0.0 of methane and itself: 0.0
Kulczynski of methane and ammonia: 0.0 of methane and itself: 0.0
BraunBlanquet of methane and ammonia: 0.0 of methane and itself: 0.0
Sokal of methane and ammonia: nan of methane and itself: nan
Tanimoto of empty counts and themselves: 0.0
END
