import { useSyncExternalStore } from 'react'
import type { MemberView } from '~/features/directory/directory.view.ts'
import { skillPath } from '~/features/members/members.view.ts'
import { openToText } from '~/features/profiles/profiles.view.ts'
import { tagPath } from '~/features/tags/tags.view.ts'
import { dayAndMonth, type Zone } from '~/lib/calendar.ts'
import { viewerOf } from '~/lib/context.ts'
import type { PageHandle } from '~/lib/page-handle.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { formatNumber, pluralize } from '~/lib/text.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { usePresence } from '~/platform/realtime/use-presence.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { PresenceText } from '~/ui/presence.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { useNow } from '~/ui/time.tsx'
import { LeadQuestion, RecentQuestion } from '../components/questions.tsx'
import { getHome, type HomeView } from '../home.server.ts'
import type { Route } from './+types/home'

export const handle: PageHandle = { revisit: true }

export function loader({ context }: Route.LoaderArgs) {
	return withHttpErrors(() => getHome(viewerOf(context)))
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'Home',
		description:
			'Connect, collaborate, build and learn new skills: a community of students, and a forum of their questions.',
		canonical: '/',
		feed: { path: '/forum/feed.atom', title: 'Newest queries' },
	})
}

export default function Home({ loaderData }: Route.ComponentProps) {
	const { figures, lead, recent, skills, tags } = loaderData
	return (
		<>
			<Folio {...figures} />
			<Welcome {...loaderData} />
			<div className="grid grid-cols-1 gap-x-8 gap-y-10 lg:grid-cols-12">
				<section className="min-w-0 lg:col-span-5" aria-labelledby="lead">
					<SectionHeading id="lead" title={lead ? `Most discussed ${lead.within}` : 'Nothing discussed yet'} />
					{lead ? (
						<MemoMarkup
							as="article"
							className="pt-2"
							of={LeadQuestion}
							with={{ question: lead.question }}
							times={[lead.question.createdAt]}
						/>
					) : (
						<NothingDiscussed hasQuestions={recent.length > 0} />
					)}
				</section>
				<section className="min-w-0 lg:col-span-4" aria-labelledby="recent">
					<SectionHeading id="recent" title="Recent questions">
						{figures.questions > 0 && (
							<Link className="quiet-link" to="/forum">
								All {formatNumber(figures.questions)}
							</Link>
						)}
					</SectionHeading>
					<ul>
						{recent.map((question) => (
							<MemoMarkup
								key={question.id}
								as="li"
								className="border-b border-line py-3 first:pt-2 last:border-0"
								of={RecentQuestion}
								with={{ question }}
								times={[question.createdAt]}
							/>
						))}
					</ul>
					{recent.length === 0 && <p className="text-ink-2">No questions yet.</p>}
				</section>
				<MemoMarkup
					as="section"
					className="min-w-0 lg:col-span-3"
					aria-labelledby="skills"
					of={Skills}
					with={{ skills }}
				/>
			</div>
			{tags.length > 0 && (
				<MemoMarkup as="section" className="mt-12" aria-labelledby="tags" of={Tags} with={{ tags }} />
			)}
		</>
	)
}

function Welcome({ figures, people, welcome }: HomeView) {
	const { viewer, siteName } = useRootData()
	const online = people.filter((member) => member.online)
	const others = people.filter((member) => !member.online)
	return (
		<section className="grid border-t border-rule lg:grid-cols-12">
			<div className="py-8 lg:col-span-8 lg:py-12 lg:pr-12">
				<h1 className="text-3xl font-bold text-balance wrap-anywhere sm:text-4xl">
					{welcome.title || `Welcome to ${siteName}`}
				</h1>
				{welcome.text && (
					<p className="mt-5 max-w-[46ch] text-lg text-pretty wrap-anywhere whitespace-pre-line text-ink-2">
						{welcome.text}
					</p>
				)}
				<Link className="btn btn-primary btn-lg mt-7" to={viewer ? '/find-dev' : '/login'}>
					Find a developer
				</Link>
			</div>
			<section
				className="min-w-0 border-t border-line pt-4 pb-8 lg:col-span-4 lg:border-t-0 lg:border-l lg:py-6 lg:pl-8"
				aria-label="People"
			>
				<h2 className="flex items-baseline justify-between text-sm font-semibold">
					{online.length > 0 ? 'Online now' : 'New members'}
					{figures.members > 0 && (
						<Link className="quiet-link text-xs font-normal text-ink-3" to="/find-dev">
							All {pluralize(figures.members, 'member')}
						</Link>
					)}
				</h2>
				{people.length === 0 && <p className="mt-2 text-ink-2">Nobody yet. Be the first.</p>}
				{online.length > 0 && <MemberRows members={online} />}
				{online.length > 0 && others.length > 0 && <h2 className="mt-4 text-sm font-semibold">New members</h2>}
				{others.length > 0 && <MemberRows members={others} />}
			</section>
		</section>
	)
}

function NothingDiscussed({ hasQuestions }: { hasQuestions: boolean }) {
	return (
		<p className="text-ink-2">
			{hasQuestions ? 'Nobody has commented on a question yet. ' : 'Nobody has asked a question yet. '}
			<Link className="link" to="/forum/ask">
				{hasQuestions ? 'Ask one' : 'Ask the first'}
			</Link>
			{hasQuestions ? ', or answer the newest.' : '.'}
		</p>
	)
}

function Skills({ skills }: { skills: HomeView['skills'] }) {
	return (
		<>
			<SectionHeading id="skills" title="Popular skills">
				<span>people</span>
			</SectionHeading>
			<ul>
				{skills.map(({ name, count }) => (
					<li key={name}>
						<Link className="index-row" to={skillPath(name)}>
							{name}
							<span className="num">{count}</span>
						</Link>
					</li>
				))}
			</ul>
			{skills.length === 0 && <p className="text-ink-2">No skills yet.</p>}
		</>
	)
}

function Tags({ tags }: { tags: HomeView['tags'] }) {
	return (
		<>
			<SectionHeading id="tags" title="Popular tags">
				<Link className="quiet-link" to="/forum/tags">
					All tags
				</Link>
			</SectionHeading>
			<ul className="flex flex-wrap gap-x-5 gap-y-2">
				{tags.map(({ name, count }) => (
					<li key={name} className="py-1">
						<Link className="tag" to={tagPath(name)}>
							{name}
						</Link>{' '}
						<span className="num text-xs text-ink-3">{formatNumber(count)}</span>
					</li>
				))}
			</ul>
		</>
	)
}

interface FolioProps {
	members: number
	askedToday: number
	online: number
}

/** The line below the header: the date and today's numbers. */
function Folio({ members, askedToday, online }: FolioProps) {
	const now = useNow()
	// Only the browser knows the reader's date; until hydration the date is that of the site's time zone.
	const zone = useSyncExternalStore<Zone>(
		never,
		() => 'local',
		() => 'site',
	)
	return (
		<p className="flex flex-wrap items-center gap-x-6 gap-y-1 py-3 text-xs whitespace-nowrap text-ink-2">
			<span className="font-semibold text-ink">{dayAndMonth(now, zone)}</span>
			<span className="hidden sm:inline">{pluralize(members, 'developer')}</span>
			<span className="hidden sm:inline">{pluralize(askedToday, 'question')} today</span>
			<span className="ml-auto flex items-center gap-2">
				{online > 0 && <span className="presence" data-online aria-hidden="true" />}
				{formatNumber(online)} online now
			</span>
		</p>
	)
}

const never = () => () => {}

function MemberRows({ members }: { members: MemberView[] }) {
	return (
		<ul className="mt-2">
			{members.map((member) => (
				<MemberRow key={member.username} member={member} />
			))}
		</ul>
	)
}

/** A member in one line: name, first skills, and what they are open to. */
function MemberRow({ member }: { member: MemberView }) {
	const online = usePresence([member])(member.username)
	return <MemoMarkup as="li" of={MemberLink} with={{ member, online }} />
}

function MemberLink({ member, online }: { member: MemberView; online: boolean }) {
	const openTo = openToText(member.openTo.slice(0, 1))
	return (
		<Link
			className="-mx-2 flex items-center gap-3 rounded-sm px-2 py-1.5 hover:bg-hover"
			to={`/find-dev/${member.username}`}
		>
			<Avatar user={member} size={40} online={online || undefined} />
			<span className="min-w-0 flex-1">
				<span className="block truncate font-semibold">
					<bdi>{member.name}</bdi>
					<PresenceText online={online} />
				</span>
				<span className="meta block truncate">{member.skills.slice(0, 2).join(', ') || member.studies.branch}</span>
			</span>
			{openTo && <span className="meta max-[16rem]:hidden">{openTo}</span>}
		</Link>
	)
}
