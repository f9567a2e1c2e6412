import { redirect } from 'react-router'
import { SkillEvidence } from '~/features/evidence/components/skill-evidence.tsx'
import { isOwnProfile } from '~/features/members/members.policy.ts'
import { editParts, editProfilePath } from '~/features/members/members.view.ts'
import { siteDay } from '~/lib/calendar.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { useTabInView } from '~/ui/tab-row.tsx'
import { ContactCard } from '../components/contact-card.tsx'
import { FirstSteps } from '../components/first-steps.tsx'
import { StatusNotices } from '../components/hidden-notice.tsx'
import { OwnPosts } from '../components/posts.tsx'
import { About, Academics, Certificates, Experience, Projects } from '../components/sections.tsx'
import { getOwnStatus } from '../hiding.server.ts'
import { listPosts } from '../posts.server.ts'
import { getFirstSteps, getProfile } from '../profiles.server.ts'
import { postKinds } from '../profiles.view.ts'
import type { Route } from './+types/my-profile'

/** `part` is the section of Edit profile that changes the content of a tab. */
const tabs = [
	{ id: 'about', label: 'About', part: '' },
	{ id: 'skills', label: 'Skills', part: '' },
	{ id: 'academics', label: 'Academics', part: 'academics' },
	{ id: 'experience', label: 'Experience', part: 'experience' },
	{ id: 'projects', label: 'Projects', part: 'projects' },
	{ id: 'certificates', label: 'Certificates', part: 'certificates' },
	...postKinds.map(({ kind, own }) => ({ id: kind, label: own, part: null })),
] as const

export function loader({ context, params, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		if (!isOwnProfile(viewer, { username: params.username.toLowerCase() }))
			throw redirect(`/find-dev/${encodeURIComponent(params.username)}`)
		const tab = tabs.find(({ id }) => id === url.searchParams.get('tab'))?.id ?? 'about'
		const cursor = url.searchParams.get('cursor')
		const kind = postKinds.find((one) => one.kind === tab)?.kind
		const [profile, status, firstSteps, posts] = await Promise.all([
			getProfile(viewer, viewer.username),
			getOwnStatus(viewer),
			getFirstSteps(viewer),
			kind ? listPosts(viewer, viewer.username, { kind, cursor, mine: true }) : null,
		])
		return { tab, kind, profile, status, firstSteps, page: posts?.page ?? null, pending: posts?.pending, cursor }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'My Profile', noindex: true })
}

export default function MyProfile({ loaderData }: Route.ComponentProps) {
	const { tab, kind, profile, status, firstSteps, page, pending, cursor } = loaderData
	const { now } = useRootData()
	const tabList = useTabInView<HTMLUListElement>()
	const shown = tabs.find(({ id }) => id === tab) ?? tabs[0]
	const isEmpty = page !== null && cursor === null && page.rows.length === 0 && !pending?.length
	return (
		<div className="grid grid-cols-1 gap-x-14 gap-y-10 pt-6 md:pt-8 lg:grid-cols-[18rem_minmax(0,1fr)]">
			<ContactCard profile={profile} own />
			<div className="min-w-0">
				<StatusNotices {...status} />
				{firstSteps && <FirstSteps className="mb-6" username={profile.username} steps={firstSteps} />}
				<nav aria-label="My profile">
					<ul ref={tabList} className="tabs tabs-scroll gap-4">
						{tabs.map(({ id, label }) => (
							<li key={id} className="flex-none">
								<Link
									className="tab"
									to={`?tab=${id}`}
									preventScrollReset
									aria-current={id === tab ? 'page' : undefined}
									data-active={id === tab || undefined}
								>
									{label}
								</Link>
							</li>
						))}
					</ul>
				</nav>
				<section className="pt-6" aria-labelledby="tab">
					<h2 className="sr-only font-semibold print:not-sr-only" id="tab">
						{shown.label}
					</h2>
					{tab === 'about' && <About about={profile.about} aboutHtml={profile.aboutHtml} />}
					{tab === 'skills' && <SkillEvidence evidence={profile.evidence} own />}
					{tab === 'academics' && <Academics profile={profile} own />}
					{tab === 'experience' && (
						<Experience experiences={profile.experiences.filter(({ kind }) => kind !== 'education')} />
					)}
					{tab === 'projects' && <Projects projects={profile.projects} />}
					{tab === 'certificates' && <Certificates certificates={profile.certificates} today={siteDay(now)} />}
					{page && kind && (
						<OwnPosts key={kind} page={page} pending={pending} cursor={cursor} kind={kind} params={{ tab: kind }} />
					)}
					{shown.part !== null && (
						<NextAct to={editProfilePath(profile.username, shown.part)}>
							{`Edit ${editParts.find(({ part }) => part === shown.part)?.title}`}
						</NextAct>
					)}
					{isEmpty && kind === 'queries' && <NextAct to="/forum/ask">Ask a question</NextAct>}
					{isEmpty && kind !== 'queries' && <NextAct to="/forum?view=unanswered">See unanswered queries</NextAct>}
				</section>
			</div>
		</div>
	)
}

function NextAct({ to, children }: { to: string; children: string }) {
	return (
		<p className="mt-8">
			<Link className="btn btn-outline" to={to}>
				{children}
			</Link>
		</p>
	)
}
