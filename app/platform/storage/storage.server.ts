import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Disk } from 'flydrive'
import { type Config, config } from '~/config.server.ts'
import { Unavailable } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { diskFullError, outageKindOf } from '~/platform/db/outage.server.ts'

/** File storage: a folder of the data directory, or an S3-compatible bucket. Keys are paths without a leading slash. */
export interface Storage {
	/** Writes a whole file. It replaces an older one with this key atomically: readers get one of the two. */
	put: (key: string, contents: Uint8Array, contentType: string) => Promise<void>
	/** The bytes of a file; null when there is none. */
	read: (key: string) => Promise<Buffer<ArrayBuffer> | null>
	/** Streams a file of any size into the storage. It is `private`: {@link list} leaves it out, so no backup has it. */
	putLarge: (key: PrivateKey, file: string, contentType: string) => Promise<void>
	/** Streams the contents of a file that {@link putLarge} stored; null when there is none. @throws Unavailable when it cannot be opened */
	stream: (key: PrivateKey) => Promise<Readable | null>
	/** Removes a file; a missing one is no error. */
	remove: (key: string) => Promise<void>
	/** The keys of all files, in no order; files written or removed meanwhile may be missing. */
	list: () => AsyncIterable<string>
}

/** The key of a file that belongs to one member for some days. */
export type PrivateKey = `${typeof PRIVATE_FOLDER}/${string}`
const PRIVATE_FOLDER = 'archives'

/** Milliseconds for one attempt at a bucket; the client's own default is no limit. */
const S3_TIMEOUTS = {
	connectionTimeout: 2_000,
	requestTimeout: 4_000,
	socketTimeout: 4_000,
	throwOnRequestTimeout: true,
}
/** The same for a file of any size, whose transfer may take as long as it goes on; a phone may read it slowly. */
const S3_LARGE_TIMEOUTS = { connectionTimeout: 2_000, socketTimeout: 60_000 }
/** Attempts of one call, with growing pauses. */
const S3_MAX_ATTEMPTS = 3
/** Milliseconds for a call with all its attempts and its whole response: a request has to be answered within 10 s. */
const STORAGE_TIMEOUT_MS = 8_000

const state = remember<{ storage?: Promise<Storage> }>('storage', () => ({}))

/** The configured storage, opened on first use; again after a failure, as of a disk that was full. @throws the error of the disk */
export function storage(): Promise<Storage> {
	state.storage ??= openStorage(config()).catch((error) => {
		state.storage = undefined
		throw error
	})
	return state.storage
}

/** Opens a storage: a bucket when `S3_BUCKET` is set, else the folder `media` of the data directory. */
export async function openStorage(settings: Config): Promise<Storage> {
	const { S3_BUCKET } = settings
	const [{ Disk }, { listFolder, openFolder }] = await Promise.all([import('flydrive'), import('./folder.server.ts')])
	const disk = new Disk(S3_BUCKET ? await bucket(settings, S3_BUCKET, S3_TIMEOUTS) : await openFolder(settings))
	const large = S3_BUCKET ? new Disk(await bucket(settings, S3_BUCKET, S3_LARGE_TIMEOUTS)) : disk
	const read = async (key: string, stop: AbortSignal) => {
		try {
			const stream = await disk.getStream(key)
			stop.addEventListener('abort', () => stream.destroy(), { once: true })
			// FlyDrive's getBytes() may return more than the file: the whole memory that a Buffer is a part of.
			return await buffer(stream)
		} catch (error) {
			if (await disk.exists(key)) throw error
			return null
		}
	}
	return {
		put: (key, contents, contentType) => inTime(() => disk.put(key, contents, { contentType })),
		read: (key) => inTime((stop) => read(key, stop)),
		putLarge: async (key, file, contentType) => {
			const { size: contentLength } = await stat(file)
			const contents = createReadStream(file)
			try {
				await large.putStream(key, contents, { contentType, contentLength })
			} finally {
				// A bucket that cannot be reached reads nothing, and the file would stay open, and on the disk.
				contents.destroy()
			}
		},
		stream: (key) => inTime(async () => ((await disk.exists(key)) ? opened(await large.getStream(key)) : null)),
		remove: (key) => inTime(() => disk.delete(key)),
		list: () => (S3_BUCKET ? listBucket(disk) : listFolder(settings, PRIVATE_FOLDER)),
	}
}

/** A stream once it can be read, or has failed. An error before somebody reads it would end the process. @throws its error */
async function opened(stream: Readable): Promise<Readable> {
	stream.on('error', () => {})
	await once(stream, 'readable')
	return stream
}

/** Runs a call of the storage. @throws Unavailable when it fails or takes too long, DiskFull */
async function inTime<Result>(call: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
	const stop = AbortSignal.timeout(STORAGE_TIMEOUT_MS)
	const tooLong = new Promise<never>((_resolve, reject) => {
		stop.addEventListener('abort', () => reject(new Error('The storage took too long.')), { once: true })
	})
	try {
		return await Promise.race([call(stop), tooLong])
	} catch (error) {
		if (isFull(error)) throw diskFullError(error)
		log.warn({ err: error }, 'the storage of pictures failed')
		throw new Unavailable('The pictures of this site cannot be reached right now. Try again in a moment.', {
			cause: error,
		})
	}
}

/** FlyDrive wraps the error of the file system. */
function isFull(error: unknown): boolean {
	return error instanceof Error && (outageKindOf(error) === 'disk-full' || isFull(error.cause))
}

/** The S3 driver takes 13 MB on disk and half a second at the start, so it is loaded only where it is used. */
async function bucket(settings: Config, name: string, requestHandler: typeof S3_TIMEOUTS | typeof S3_LARGE_TIMEOUTS) {
	const { S3Driver } = await import('flydrive/drivers/s3')
	const { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
	return new S3Driver({
		bucket: name,
		visibility: 'private',
		// Most S3-compatible services have no access lists; a private bucket needs none.
		supportsACL: false,
		region: S3_REGION ?? 'us-east-1',
		requestHandler,
		maxAttempts: S3_MAX_ATTEMPTS,
		// Otherwise the client sends a stream in chunks with a trailing checksum, and many services store all of that as the file.
		requestChecksumCalculation: 'WHEN_REQUIRED',
		// A custom endpoint names the bucket in the path, as it rarely has a DNS name for each.
		...(S3_ENDPOINT ? { endpoint: S3_ENDPOINT, forcePathStyle: true } : {}),
		...(S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY
			? { credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY } }
			: {}),
	})
}

async function* listBucket(disk: Disk): AsyncGenerator<string> {
	for (let paginationToken: string | undefined; ; ) {
		const page = await inTime(() => disk.listAll('', { recursive: true, paginationToken }))
		for (const found of page.objects) if (found.isFile && !isPrivate(found.key)) yield found.key
		paginationToken = page.paginationToken
		if (!paginationToken) return
	}
}

function isPrivate(key: string): boolean {
	return key.startsWith(`${PRIVATE_FOLDER}/`)
}
