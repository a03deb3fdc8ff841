// Tells whether a chosen file is the one whose upload was interrupted, and says so beside it.

import { checksumOf } from "./crc32.js";

const notice = document.querySelector("#unfinished");
const OTHER = "It is uploaded from the start, and what had arrived of the unfinished file is deleted.";

const megabytes = (size) => `${(size / 2 ** 20).toFixed(1)} MB`;

// Returns the reason for which a file is another one than the unfinished one, or "" if it is the same.
async function difference(file) {
  const { name, size, received, checksum } = notice.dataset;
  if (file.name !== name) return "This file has another name than the unfinished one.";
  if (file.size !== Number(size)) return "This file has the same name as the unfinished one, but another size.";
  const found = await checksumOf(file.slice(0, Number(received)));
  return found === Number(checksum) ? "" : "This file has the name and size of the unfinished one, but other content.";
}

export async function isUnfinished(file) {
  return notice !== null && (await difference(file)) === "";
}

export async function tellWhether(file, place) {
  place.hidden = notice === null || !file;
  if (place.hidden) return;
  place.textContent = "Comparing with the unfinished upload …";
  const reason = await difference(file);
  const { received, size } = notice.dataset;
  place.textContent = reason
    ? `${reason} ${OTHER}`
    : `The same file: the upload continues at ${megabytes(received)} of ${megabytes(size)}.`;
}

// How much of the file has arrived by now, with the checksum of as much of the chosen one, for the request that begins.
export async function continued(file, received = Number(notice.dataset.received)) {
  return { received, checksum: await checksumOf(file.slice(0, received)) };
}
