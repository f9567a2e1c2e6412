import { findProof } from './proof.ts'

/* Looks for the answer to a challenge beside the page, so that the page can be used meanwhile. */

self.addEventListener('message', ({ data }: MessageEvent<string>) => self.postMessage(findProof(data)))
