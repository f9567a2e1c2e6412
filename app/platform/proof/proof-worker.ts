import { findProof } from './proof.ts'

/* Solves a challenge in a worker, so that the page stays responsive. */

self.addEventListener('message', ({ data }: MessageEvent<string>) => self.postMessage(findProof(data)))
