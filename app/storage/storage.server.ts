import { randomUUID } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import type { Config } from '~/config.server.ts'
import { config } from '~/config.server.ts'
import { remember } from '~/lib/remember.ts'

/** Where files are kept: a folder of the data directory, or a bucket that speaks S3. Keys are paths without a slash in front. */
export interface Storage {
	/** Writes a whole file; an older one under this key is replaced. */
	put: (key: string, contents: Uint8Array, contentType: string) => Promise<void>
	/** The file as a stream, or null when there is none. */
	read: (key: string) => Promise<Readable | null>
	/** Removes a file; one that is not there is no error. */
	remove: (key: string) => Promise<void>
}

const held = remember<{ storage?: Promise<Storage> }>('storage', () => ({}))

/** The storage that the settings name, opened on first use. */
export function storage(): Promise<Storage> {
	held.storage ??= openStorage(config())
	return held.storage
}

/** Opens the storage of these settings: a bucket when `S3_BUCKET` is set, else the folder `media` of the data directory. */
export async function openStorage(settings: Config): Promise<Storage> {
	const disk = new Disk(settings.S3_BUCKET ? await bucket(settings, settings.S3_BUCKET) : folder(settings))
	return {
		put: async (key, contents, contentType) => {
			if (settings.S3_BUCKET) return disk.put(key, contents, { contentType })
			// A bucket shows a file when it is whole; on a disk only renaming does.
			const part = `${key}.${randomUUID()}.part`
			await disk.put(part, contents)
			await rename(join(settings.dataDir, 'media', part), join(settings.dataDir, 'media', key))
		},
		read: async (key) => ((await disk.exists(key)) ? disk.getStream(key) : null),
		remove: (key) => disk.delete(key),
	}
}

function folder({ dataDir }: Config): FSDriver {
	return new FSDriver({ location: join(dataDir, 'media'), visibility: 'private' })
}

/** The driver of S3 weighs 13 MB on disk and half a second at the start, so only who uses it loads it. */
async function bucket(settings: Config, name: string) {
	const { S3Driver } = await import('flydrive/drivers/s3')
	const { S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
	return new S3Driver({
		bucket: name,
		visibility: 'private',
		// Most services that speak S3 know no access lists; a private bucket needs none.
		supportsACL: false,
		region: S3_REGION ?? 'us-east-1',
		// An own endpoint names the bucket in the path, as it seldom has a DNS name for each.
		...(S3_ENDPOINT ? { endpoint: S3_ENDPOINT, forcePathStyle: true } : {}),
		...(S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY
			? { credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY } }
			: {}),
	})
}
