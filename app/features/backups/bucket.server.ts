import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Disk } from 'flydrive'

/** The limit of a single upload in S3. */
const MAX_BYTES = 5 * 2 ** 30
/** In milliseconds: a backup is large, and the connection may be slow. */
const TIMEOUTS = { connectionTimeout: 10_000, socketTimeout: 60_000 }
const MAX_ATTEMPTS = 3

/** How to reach a bucket. */
export interface BucketSettings {
	bucket: string
	/** The address of the service; empty for Amazon's. */
	endpoint: string
	region: string
	accessKeyId: string
	secretAccessKey: string
}

/** Files in a bucket of an S3-compatible service. */
export interface Bucket {
	/** Uploads a file, and checks that all of it arrived. @throws Error with one sentence */
	send: (name: string, path: string) => Promise<void>
	/** The names of all files. */
	list: () => Promise<string[]>
	remove: (name: string) => Promise<void>
	/** Uploads a short text, and checks that all of it arrived. */
	write: (name: string, text: string) => Promise<void>
}

/** Opens a bucket, without a request. The large S3 client is loaded only here. */
export async function openBucket(settings: BucketSettings): Promise<Bucket> {
	const { S3Driver } = await import('flydrive/drivers/s3')
	const { bucket, endpoint, region, accessKeyId, secretAccessKey } = settings
	const disk = new Disk(
		new S3Driver({
			bucket,
			visibility: 'private',
			supportsACL: false,
			region: region || 'us-east-1',
			requestHandler: TIMEOUTS,
			maxAttempts: MAX_ATTEMPTS,
			// Otherwise streams are sent in chunks with a trailing checksum, which services other than Amazon's store as part of the file.
			requestChecksumCalculation: 'WHEN_REQUIRED',
			...(endpoint ? { endpoint, forcePathStyle: true } : {}),
			credentials: { accessKeyId, secretAccessKey },
		}),
	)
	/** Removes a file that is not whole, or of which that cannot be learned: it would count as a backup when the oldest are removed. */
	const requireWhole = async (name: string, size: number) => {
		try {
			const { contentLength } = await disk.getMetaData(name).catch((cause) => {
				// A refusal of this request has no words, and the cause only repeats what was asked.
				throw new Error('What arrived there cannot be read', { cause: cause.cause ?? cause })
			})
			if (contentLength !== size) throw new Error(`Of ${size} bytes ${contentLength} arrived in the bucket.`)
		} catch (error) {
			await disk.delete(name).catch(() => {})
			throw error
		}
	}
	return {
		send: async (name, path) => {
			const { size } = await stat(path)
			if (size > MAX_BYTES) throw new Error('The backup has more than 5 GB, the most that one file of a bucket takes.')
			const contents = createReadStream(path)
			try {
				await disk.putStream(name, contents, { contentLength: size })
			} finally {
				// A bucket that cannot be reached reads nothing, and the file would stay open.
				contents.destroy()
			}
			await requireWhole(name, size)
		},
		list: async () => {
			const names: string[] = []
			for (let paginationToken: string | undefined; ; ) {
				const page = await disk.listAll('', { recursive: true, paginationToken })
				for (const found of page.objects) if (found.isFile) names.push(found.key)
				paginationToken = page.paginationToken
				if (!paginationToken) return names
			}
		},
		remove: (name) => disk.delete(name),
		write: async (name, text) => {
			await disk.put(name, text)
			await requireWhole(name, Buffer.byteLength(text))
		},
	}
}
