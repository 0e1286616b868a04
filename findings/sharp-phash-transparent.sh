#!/usr/bin/env bash
# Software: npm packages sharp-phash 2.2.0 and sharp 0.33.5.
# Guess: a black disc and a black bar on a transparent background have different perceptual hashes.
# Seen: both hashes are 64 zeros, as that of an image without anything: only the colour is hashed, and every pixel is black,
#   visible or not. On a white background they differ in several bits.
# Why it matters: black logos, icons and signatures on a transparent background are near-duplicates of each other at every
#   threshold, and one of them is kept. Flatten images onto a colour before hashing.

set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" sharp-phash@2.2.0 sharp@0.33.5
node - >seen <<'END'
(async () => {
	const sharp = require("sharp"), phash = require("sharp-phash"), distance = require("sharp-phash/distance");
	const size = 200;
	const image = (inside) => {
		const data = Buffer.alloc(size * size * 4);
		for (let y = 0; y < size; y++)
			for (let x = 0; x < size; x++) if (inside(x - size / 2, y - size / 2)) data[(y * size + x) * 4 + 3] = 255;
		return sharp(data, { raw: { width: size, height: size, channels: 4 } });
	};
	const disc = image((x, y) => x * x + y * y < 6400), bar = image((x, y) => Math.abs(y) < 20 && Math.abs(x) < 80);
	for (const [name, prepare] of [["transparent", (i) => i.clone()], ["white", (i) => i.clone().flatten({ background: "white" })]]) {
		const [a, b] = await Promise.all([disc, bar].map(async (i) => phash(await prepare(i).png().toBuffer())));
		console.log(`${name}: ` + (distance(a, b) ? "different" : "equal") + (/1/.test(a + b) ? "" : ", all bits 0"));
	}
})();
END
cat seen
diff seen - <<'END'
transparent: equal, all bits 0
white: different
END
