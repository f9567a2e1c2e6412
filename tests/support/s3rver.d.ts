/** As much of s3rver as the tests use; it brings no types of its own. */
declare module 's3rver' {
	import type { AddressInfo } from 'node:net'

	export default class S3rver {
		constructor(options: { port: number; silent: boolean; directory: string; configureBuckets: { name: string }[] })
		run(): Promise<AddressInfo>
		close(): Promise<void>
	}
}
