import { ArrowUp } from 'lucide'
import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useRevalidator } from 'react-router'
import { FirstSteps } from '~/features/profiles/components/first-steps.tsx'
import { useRootData } from '~/lib/root-data.ts'
import { pluralize } from '~/lib/text.ts'
import type { ServerEvents } from '~/platform/realtime/events.ts'
import { withLive } from '~/platform/realtime/live.ts'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { Skeleton, SkeletonList } from '~/ui/list-states.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { focusHeading } from '~/ui/use-focus-kept.ts'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { type Criteria, communityPath, NO_CRITERIA } from '../directory.paths.ts'
import type { CommunityData } from '../directory.view.ts'
import { MemberCards, memberCell, memberGrid } from './member-card.tsx'

/** The members of a list, with the pages that were loaded after the first; they are restored on going back. */
export function MemberList({ criteria, data }: { criteria: Criteria; data: CommunityData }) {
	const { key } = useLocation()
	return <Rows key={key} criteria={criteria} data={data} />
}

function Rows({ criteria, data: { page, cursor, firstSteps } }: { criteria: Criteria; data: CommunityData }) {
	const { rows, nextHref, loading, load } = useMore(page, (next) => communityPath(criteria, next))
	const members = withoutDuplicates(rows, ({ username }) => username)
	const me = useRootData().viewer?.username
	const newcomers = useNewcomers(
		communityPath(criteria) === communityPath(NO_CRITERIA) && cursor === null ? (page.rows[0]?.username ?? '') : null,
		rows.length > page.rows.length,
	)
	return (
		<>
			<NewcomersBar count={newcomers.waiting} show={newcomers.show} />
			{me && firstSteps && <FirstSteps className="mt-5 mb-2" username={me} steps={firstSteps} />}
			<MemberCards members={members} isOwnNew={firstSteps !== null} />
			{(nextHref || cursor !== null) && (
				<nav className="flex flex-wrap items-center justify-center gap-3 py-5" aria-label="Pages">
					{cursor !== null && (
						<Link className="btn btn-sm btn-ghost" to={communityPath(criteria)}>
							Back to the first page
						</Link>
					)}
					{nextHref && (
						<MoreLink href={nextHref} loading={loading} load={load}>
							Load more developers
						</MoreLink>
					)}
				</nav>
			)}
		</>
	)
}

/** Shows how many members have joined meanwhile, as an overlay, so that nothing moves. */
function NewcomersBar({ count, show }: { count: number; show: () => void }) {
	return (
		<div role="status" className="sticky top-17 z-10 flex h-0 justify-center">
			{count > 0 && (
				<button type="button" className="btn btn-outline btn-sm mt-3 floating max-sm:h-10" onClick={show}>
					<Icon of={ArrowUp} className="icon-sm" />
					{pluralize(count, 'new developer')}
				</button>
			)}
		</div>
	)
}

declare module '~/platform/realtime/events.ts' {
	interface ClientEvents {
		/** Members who joined after this one, the newest that the page knows: between its loading and now. */
		'members:since': (username: string, answer: (usernames: string[]) => void) => void
	}
}

/** Scroll position in pixels up to which the reader is at the top of the list, where a new card moves nothing that is being read. */
const HEAD_OF_LIST_PX = 80
/** Random delay in milliseconds, so that several newcomers are loaded together, and not all readers load them simultaneously. */
const gather = { min: 300, max: 1_500 }

/**
 * How many members joined since the list was loaded, if the list begins with the newest. They are added at once for readers at its
 * top, and on request for all others, so that nothing moves while reading.
 * @param newest the newest member shown, if this is the list of everybody, newest first, from its first page; else null
 * @param grown whether the reader has loaded more pages, which adding newcomers would collapse
 */
function useNewcomers(newest: string | null, grown: boolean): { waiting: number; show: () => void } {
	const [waiting, setWaiting] = useState<{ since: string | null; count: number }>({ since: newest, count: 0 })
	// The page may have been loaded again for another reason, and shows them then.
	if (waiting.since !== newest) setWaiting({ since: newest, count: 0 })
	const [isDue, setDue] = useState(false)
	const { revalidate } = useRevalidator()

	const onJoined = useEffectEvent((joined: number) => {
		if (grown || window.scrollY >= HEAD_OF_LIST_PX) setWaiting(({ since, count }) => ({ since, count: count + joined }))
		else setDue(true)
	})
	useEffect(() => (newest === null ? undefined : listen(newest, onJoined)), [newest])

	useEffect(() => {
		if (!isDue) return
		const load = () => {
			setDue(false)
			void revalidate()
		}
		const timer = setTimeout(load, gather.min + Math.random() * (gather.max - gather.min))
		return () => clearTimeout(timer)
	}, [isDue, revalidate])

	return {
		waiting: waiting.count,
		show: () => {
			setWaiting({ since: newest, count: 0 })
			window.scrollTo({ top: 0 })
			// The button disappears.
			focusHeading()
			void revalidate()
		},
	}
}

/**
 * Subscribes to newcomers, including those between the page and its socket or during a lost connection.
 * @returns unsubscribes
 */
function listen(newest: string, onJoined: (joined: number) => void): () => void {
	return withLive((socket) => {
		const known = new Set<string>()
		let left = false
		const report = (usernames: string[]) => {
			const unheard = usernames.filter((username) => !known.has(username))
			for (const username of unheard) known.add(username)
			if (unheard.length > 0 && !left) onJoined(unheard.length)
		}
		const catchUp = () => socket.emit('members:since', newest, report)
		const joined: ServerEvents['member:joined'] = ({ username }) => report([username])
		socket.on('connect', catchUp)
		socket.on('member:joined', joined)
		if (socket.connected) catchUp()
		return () => {
			left = true
			socket.off('connect', catchUp)
			socket.off('member:joined', joined)
		}
	})
}

/** Six placeholder cards with the size of real ones. */
export function MembersSkeleton() {
	return (
		<SkeletonList label="Loading developers" count={6} className={memberGrid} rowClassName={memberCell}>
			<div className="flex gap-3.5">
				<Skeleton className="size-12 rounded-sm" />
				<div className="flex-1">
					<Skeleton className="mt-1 h-4 w-40" />
					<Skeleton className="mt-2.5 h-3 w-48" />
					<Skeleton className="mt-2 h-3 w-56 max-w-full" />
				</div>
			</div>
			<Skeleton className="mt-5 h-3 w-full" />
			<Skeleton className="mt-2.5 h-3 w-11/12" />
			<Skeleton className="mt-2.5 h-3 w-3/5" />
			<div className="mt-5 flex gap-1.5">
				<Skeleton className="h-6 w-20" />
				<Skeleton className="h-6 w-16" />
				<Skeleton className="h-6 w-24" />
			</div>
			<Skeleton className="mt-5 h-8 w-28 rounded-sm" />
		</SkeletonList>
	)
}
