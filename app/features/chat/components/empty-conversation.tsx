import type { Peer } from '../protocol.ts'
import { inCommon } from './in-common.ts'

/** A conversation that nobody has begun. @param common skills that both members have */
export function EmptyConversation({ peer, common }: { peer: Peer; common: readonly string[] }) {
	return (
		<div className="flex flex-1 flex-col items-center justify-center px-10 text-center">
			<p className="text-lg font-semibold">No chat found!</p>
			<p className="mt-1 text-sm text-balance text-ink-2">
				Say hello to <bdi>{peer.name.split(' ')[0]}</bdi>. {inCommon(common)}
			</p>
		</div>
	)
}
