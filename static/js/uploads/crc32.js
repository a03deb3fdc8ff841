// The CRC-32 of bytes, as zlib computes it: it continues part by part, and needs no HTTPS as the browser's digests do.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
const BLOCK = 1 << 22;

export async function checksumOf(blob) {
  let value = ~0;
  for (let start = 0; start < blob.size; start += BLOCK) {
    const bytes = new Uint8Array(await blob.slice(start, start + BLOCK).arrayBuffer());
    for (let place = 0; place < bytes.length; place += 1) value = (value >>> 8) ^ TABLE[(value ^ bytes[place]) & 255];
  }
  return ~value >>> 0;
}
