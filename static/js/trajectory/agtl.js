// @ts-check
/**
 * Decoder of a timeline segment: magic `AGTL`, u16 version, u16 columns, u32 rows, then a header per column
 * (u8 name, u8 encoding, u32 bytes), then the columns, little-endian, each at a multiple of 8.
 */

const NAMES = ["time", "duration", "worker", "kind", "n", "flags"];
const PLAIN = 0;
const VARINT = 1;
const ZIGZAG_DIFFERENCES = 2;
const PAIR_OF_PLANES = 3;
const BYTE_PLANES = 4;
const PLANES_OF_DIFFERENCES = 5;
const PLANES_OF_OWN_DIFFERENCES = 6; // to the row before of the same worker

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
  if (![1, 2].includes(view.getUint16(4, true))) throw new Error(`timeline version ${view.getUint16(4, true)} is not known here`);
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
    if (name) found[name] = column(bytes.subarray(place, place + length), encoding, rows, name, found.worker);
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
 * @param {Uint16Array | undefined} worker
 */
function column(bytes, encoding, rows, name, worker) {
  if (encoding === PLAIN) return bytes.slice(0, rows);
  if (encoding >= BYTE_PLANES && encoding <= PLANES_OF_OWN_DIFFERENCES) return planes(bytes, encoding, rows, worker);
  if (encoding === PAIR_OF_PLANES) {
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

/**
 * The lowest byte of every row, then the next one of every row, ..: as many planes as there are bytes.
 * @param {Uint8Array} bytes
 * @param {number} encoding
 * @param {number} rows
 * @param {Uint16Array | undefined} worker
 */
function planes(bytes, encoding, rows, worker) {
  const out = new Int32Array(rows);
  const count = rows ? bytes.length / rows : 0;
  const last = encoding === PLANES_OF_OWN_DIFFERENCES ? new Float64Array(65_536) : null;
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    let value = bytes[i];
    for (let k = 1, scale = 256; k < count; k++, scale *= 256) value += bytes[k * rows + i] * scale;
    if (encoding === BYTE_PLANES) {
      out[i] = value;
      continue;
    }
    const step = value % 2 ? -(value + 1) / 2 : value / 2;
    if (last && worker) out[i] = last[worker[i]] += step;
    else out[i] = sum += step;
  }
  return out;
}
