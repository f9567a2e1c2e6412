import { randomUUID } from 'node:crypto'
import type { Config } from '~/config.server.ts'
import { openStorage } from '~/platform/storage/storage.server.ts'
import { assessClock, errorMessageOf, type Finding, findings, underlyingCodeOf } from './finding.ts'

const say = findings('Storage of pictures')
const TIMEOUT_MS = 8_000

/** Writes, reads and removes a small file in the picture storage, and checks the clock of a bucket. */
export async function checkStorage(settings: Config): Promise<Finding[]> {
	const { S3_BUCKET, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings
	const place = S3_BUCKET ? `The bucket ${S3_BUCKET}` : 'The folder media of DATA_DIR'
	const found: Finding[] = []
	if (S3_BUCKET && !(S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY))
		found.push(
			say.warning('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are not both set: the keys of the machine are used.'),
		)
	if (!S3_BUCKET && (S3_ENDPOINT || S3_ACCESS_KEY_ID))
		found.push(say.fault('S3_BUCKET is not set, though other settings of S3 are: pictures go into DATA_DIR/media.'))
	const key = `doctor/${randomUUID()}`
	const contents = Buffer.from('Written by npm run doctor, and removed at once.')
	try {
		const storage = await openStorage(settings)
		await storage.put(key, contents, 'text/plain')
		const read = await storage.read(key)
		await storage.remove(key)
		const isGone = (await storage.read(key)) === null
		if (!read?.equals(contents)) found.push(say.fault(`${place} gives back something else than was written.`))
		else if (!isGone) found.push(say.fault(`${place} still has a file that was removed: pictures would not go away.`))
		else found.push(say.ok(`${place} takes, gives back and removes a file.`))
	} catch (error) {
		found.push(say.fault(`${place} cannot be used: ${errorMessageOf(error)}.${adviceOf(error)}`))
	}
	if (S3_BUCKET && S3_ENDPOINT) found.push(...(await checkClock(S3_ENDPOINT)))
	return found
}

/** Buckets refuse requests that are more than 15 minutes off. */
async function checkClock(endpoint: string): Promise<Finding[]> {
	const answer = await fetch(endpoint, { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null)
	const date = Date.parse(answer?.headers.get('Date') ?? '')
	// The header has whole seconds.
	return Number.isNaN(date) ? [] : [assessClock('Clock', 'the bucket', date + 500 - Date.now())]
}

function adviceOf(error: unknown): string {
	const text = `${underlyingCodeOf(error)} ${errorMessageOf(error)}`
	if (/NoSuchBucket/.test(text)) return ' There is no such bucket: create it, or look at S3_BUCKET and S3_REGION.'
	if (/InvalidAccessKeyId|SignatureDoesNotMatch|AccessDenied|Forbidden|403/.test(text))
		return ' Look at S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, and whether the key may read, write, delete and list.'
	if (/ENOTFOUND|ECONNREFUSED|timeout|Timeout/.test(text)) return ' Nobody answers at S3_ENDPOINT.'
	return /EACCES|EPERM/.test(text) ? ' The account of the site may not write there.' : ''
}
