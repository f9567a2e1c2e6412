import { CampusBadge } from '~/features/campus/components/campus-status.tsx'
import { keepTogether } from '~/features/members/members.view.ts'
import type { Peer, StrangerView } from '../conversations.view.ts'

interface StrangerProps {
	peer: Peer
	stranger: StrangerView
	common: readonly string[]
	className: string
}

/** Who asks, to help decide whether to answer a request. */
export function Stranger({ peer, stranger: { studies, university, campus }, common, className }: StrangerProps) {
	const place = [studies, campus ? '' : university].filter(Boolean).join(', ')
	return (
		<section
			className={`grid flex-none gap-0.5 border-b border-line py-2.5 text-sm text-ink-2 ${className}`}
			aria-label={`About ${peer.name}`}
		>
			{campus ? (
				<CampusBadge university={campus} />
			) : (
				<p className="text-xs text-ink-3">Not verified as a student of any university.</p>
			)}
			{place && <p className="wrap-anywhere">{keepTogether(place)}</p>}
			<p className="wrap-anywhere">{skillsInCommon(common) || 'No skills in common.'}</p>
		</section>
	)
}

/** As many as fit into two lines of the panel. */
const MAX_NAMED_SKILLS = 5

const words = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten']

/** “Three skills in common: Python, ESP32, Git.” @param skills that both members have; '' for none */
export function skillsInCommon(skills: readonly string[]): string {
	const count = skills.length
	if (count === 0) return ''
	const some = `${words[count] ?? count} ${count === 1 ? 'skill' : 'skills'} in common`
	const list = skills.slice(0, MAX_NAMED_SKILLS).join(', ')
	return count > MAX_NAMED_SKILLS ? `${some}, among them ${list}.` : `${some}: ${list}.`
}

interface EmptyConversationProps {
	peer: Peer
	/** Skills that both members have. */
	common: readonly string[]
	/** Whether the viewer can write the first message. */
	mayWrite: boolean
}

/** An empty conversation. */
export function EmptyConversation({ peer, common, mayWrite }: EmptyConversationProps) {
	return (
		<div className="flex flex-1 flex-col items-center justify-center px-10 text-center">
			<p className="text-lg font-semibold">No chat found!</p>
			<p className="mt-1 text-sm text-balance text-ink-2">
				{mayWrite && (
					<>
						Say hello to <bdi>{peer.name.split(' ')[0]}</bdi>.{' '}
					</>
				)}
				{skillsInCommon(common)}
			</p>
		</div>
	)
}
