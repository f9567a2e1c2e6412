import type { ReactNode, RefObject } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { TabRow } from '~/ui/tab-row.tsx'

const pages = [
	{ to: '/moderation', title: 'Queue' },
	{ to: '/moderation/members', title: 'Members' },
	{ to: '/moderation/accounts', title: 'Spam' },
	{ to: '/moderation/terms', title: 'Terms' },
	{ to: '/moderation/searches', title: 'Searches' },
	{ to: '/moderation/routing', title: 'Routing' },
]
const log = { to: '/moderation/log', title: 'Log' }

interface ModerationFrameProps {
	title: string
	/** The heading, for a page that gives it the focus. */
	heading?: RefObject<HTMLHeadingElement | null>
	children: ReactNode
}

/** The layout of the moderators' pages: a heading and tabs. */
export function ModerationFrame({ title, heading, children }: ModerationFrameProps) {
	const { viewer } = useRootData()
	return (
		<div className="max-w-[52rem] pt-6 md:pt-8">
			<h1 ref={heading} className="text-2xl leading-9 font-bold wrap-anywhere" tabIndex={heading && -1}>
				{title}
			</h1>
			<TabRow label="Moderation" pages={viewer?.role === 'admin' ? [...pages, log] : pages} />
			{children}
		</div>
	)
}
