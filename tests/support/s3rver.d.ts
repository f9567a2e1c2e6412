/** The part of s3rver's types that tests use; it has none of its own. */
declare module 's3rver' {
	import type { AddressInfo } from 'node:net'

	export default class S3rver {
		constructor(options: { port: number; silent: boolean; directory: string; configureBuckets: { name: string }[] })
		run(): Promise<AddressInfo>
		close(): Promise<void>
	}
}
