// @ts-check
/**
 * Decoder of a timeline segment: magic `AGTL`, u16 version, u16 columns, u32 rows, then a header per column
 * (u8 name, u8 encoding, u32 bytes), then the columns, little-endian, each at a multiple of 8.
 */

const NAMES = ["time", "duration", "worker", "kind", "n", "flags"];
const PLAIN = 0;
const VARINT = 1;
const ZIGZAG_DIFFERENCES = 2;
const BYTE_PLANES = 3;

/**
 * @typedef {{ rows: number, time: Int32Array, duration: Int32Array, worker: Uint16Array, kind: Uint8Array,
 *   n: Int32Array, flags: Uint8Array }} Columns  time and duration in ms since the manifest's t0
 */

/**
 * @param {ArrayBuffer} buffer
 * @returns {Columns}
 */
export function decode(buffer) {
  const view = new DataView(buffer);
  const bytes = new Uint8Array(buffer);
  if (buffer.byteLength < 12 || String.fromCharCode(...bytes.subarray(0, 4)) !== "AGTL") {
    throw new Error("this is not a timeline segment");
  }
  if (view.getUint16(4, true) !== 1) throw new Error(`timeline version ${view.getUint16(4, true)} is not known here`);
  const count = view.getUint16(6, true);
  const rows = view.getUint32(8, true);
  /** @type {Record<string, any>} */
  const found = { rows };
  let place = 12 + count * 6;
  for (let k = 0; k < count; k++) {
    const name = NAMES[view.getUint8(12 + k * 6)];
    const encoding = view.getUint8(13 + k * 6);
    const length = view.getUint32(14 + k * 6, true);
    place = Math.ceil(place / 8) * 8;
    if (name) found[name] = column(bytes.subarray(place, place + length), encoding, rows, name);
    place += length;
  }
  for (const name of NAMES) if (!found[name]) throw new Error(`the timeline segment has no column ${name}`);
  return /** @type {Columns} */ (found);
}

/**
 * @param {Uint8Array} bytes
 * @param {number} encoding
 * @param {number} rows
 * @param {string} name
 */
function column(bytes, encoding, rows, name) {
  if (encoding === PLAIN) return bytes.slice(0, rows);
  if (encoding === BYTE_PLANES) {
    const out = new Uint16Array(rows);
    for (let i = 0; i < rows; i++) out[i] = bytes[i] | (bytes[rows + i] << 8);
    return out;
  }
  if (encoding === VARINT || encoding === ZIGZAG_DIFFERENCES) return varints(bytes, rows, encoding === ZIGZAG_DIFFERENCES);
  throw new Error(`column ${name} has the unknown encoding ${encoding}`);
}

/**
 * LEB128; sums of zigzag differences where `differences`. Values stay below 2^31: 24 days in ms.
 * @param {Uint8Array} bytes
 * @param {number} rows
 * @param {boolean} differences
 */
function varints(bytes, rows, differences) {
  const out = new Int32Array(rows);
  let place = 0;
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    let byte = bytes[place++];
    let value = byte & 0x7f;
    let scale = 128;
    while (byte & 0x80) {
      byte = bytes[place++];
      value += (byte & 0x7f) * scale;
      scale *= 128;
    }
    if (differences) {
      sum += value % 2 ? -(value + 1) / 2 : value / 2;
      out[i] = sum;
    } else {
      out[i] = value;
    }
  }
  return out;
}
