import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { S3Client } from '@aws-sdk/client-s3'

/** A file is uploaded in parts of this many bytes, which are held in memory, as a stream cannot be sent again. S3 allows 10,000 of them. */
const PART_BYTES = 64 * 2 ** 20
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

/**
 * Opens a bucket, without a request. The large S3 client is loaded only here.
 * @param partBytes smaller for tests; S3 requires 5 MB
 */
export async function openBucket(settings: BucketSettings, partBytes = PART_BYTES): Promise<Bucket> {
	const [{ Disk }, { S3Driver }, { S3Client }] = await Promise.all([
		import('flydrive'),
		import('flydrive/drivers/s3'),
		import('@aws-sdk/client-s3'),
	])
	const { bucket, endpoint, region, accessKeyId, secretAccessKey } = settings
	const client = new S3Client({
		region: region || 'us-east-1',
		requestHandler: TIMEOUTS,
		maxAttempts: MAX_ATTEMPTS,
		// Checksums that services other than Amazon's may not know.
		requestChecksumCalculation: 'WHEN_REQUIRED',
		...(endpoint ? { endpoint, forcePathStyle: true } : {}),
		credentials: { accessKeyId, secretAccessKey },
	})
	const disk = new Disk(new S3Driver({ client, bucket, visibility: 'private', supportsACL: false }))
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
			await sendParts(client, { Bucket: bucket, Key: name }, path, { size, partBytes })
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

/** Uploads a file in parts, each of which is tried several times. What has arrived is removed when one fails for good. */
async function sendParts(
	client: S3Client,
	target: { Bucket: string; Key: string },
	path: string,
	{ size, partBytes }: { size: number; partBytes: number },
): Promise<void> {
	const sdk = await import('@aws-sdk/client-s3')
	const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(target))
	try {
		const Parts: { PartNumber: number; ETag: string | undefined }[] = []
		for (let start = 0; start < size; start += partBytes) {
			const Body = await buffer(createReadStream(path, { start, end: start + partBytes - 1 }))
			const PartNumber = Parts.length + 1
			const { ETag } = await client.send(new sdk.UploadPartCommand({ ...target, UploadId, PartNumber, Body }))
			Parts.push({ PartNumber, ETag })
		}
		await client.send(new sdk.CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }))
	} catch (error) {
		await client.send(new sdk.AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {})
		throw error
	}
}
