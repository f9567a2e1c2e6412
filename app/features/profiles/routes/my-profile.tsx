import { redirect } from 'react-router'
import { isOwn } from '~/features/members/members.policy.ts'
import { editParts, editProfilePath } from '~/features/members/members.view.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { answering, signedIn } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { ContactCard } from '../components/contact-card.tsx'
import { FirstSteps } from '../components/first-steps.tsx'
import { StatusNotices } from '../components/hidden-notice.tsx'
import { About, Academics, Certificates, OwnQuestions, Projects } from '../components/sections.tsx'
import { getOwnStatus } from '../hiding.server.ts'
import { getFirstSteps, getProfile } from '../profiles.server.ts'
import type { Route } from './+types/my-profile'

const tabs = [
	{ id: 'about', label: 'About', part: '' },
	{ id: 'academics', label: 'Academics', part: 'academics' },
	{ id: 'projects', label: 'Projects', part: 'projects' },
	{ id: 'certificates', label: 'Certificates', part: 'certificates' },
	{ id: 'queries', label: 'My Queries', part: null },
] as const

export function loader({ context, params, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = signedIn(context, url)
		if (!isOwn(viewer, { username: params.username.toLowerCase() }))
			throw redirect(`/find-dev/${encodeURIComponent(params.username)}`)
		const tab = tabs.find(({ id }) => id === url.searchParams.get('tab'))?.id ?? 'about'
		const cursor = url.searchParams.get('cursor')
		const [profile, status, firstSteps, page] = await Promise.all([
			getProfile(viewer, viewer.username),
			getOwnStatus(viewer),
			getFirstSteps(viewer),
			tab === 'queries' ? listQuestions(viewer, { author: viewer.username, cursor }) : null,
		])
		return { tab, profile, status, firstSteps, page, cursor }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'My Profile', noindex: true })
}

export default function MyProfile({ loaderData }: Route.ComponentProps) {
	const { tab, profile, status, firstSteps, page, cursor } = loaderData
	const { now } = useRootData()
	const shown = tabs.find(({ id }) => id === tab) ?? tabs[0]
	return (
		<div className="grid grid-cols-1 gap-x-14 gap-y-10 pt-6 md:pt-8 lg:grid-cols-[18rem_minmax(0,1fr)]">
			<ContactCard profile={profile} own />
			<div className="min-w-0">
				<StatusNotices {...status} />
				{firstSteps && <FirstSteps className="mb-6" username={profile.username} steps={firstSteps} />}
				<nav aria-label="My profile">
					<ul className="tabs overflow-x-auto overflow-y-hidden">
						{tabs.map(({ id, label }) => (
							<li key={id} className="flex-none">
								<Link
									className="tab mb-0"
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
					<h2 className="sr-only" id="tab">
						{shown.label}
					</h2>
					{tab === 'about' && <About about={profile.about} />}
					{tab === 'academics' && <Academics profile={profile} own />}
					{tab === 'projects' && <Projects projects={profile.projects} />}
					{tab === 'certificates' && <Certificates certificates={profile.certificates} today={now.slice(0, 10)} />}
					{page && <OwnQuestions page={page} cursor={cursor} tab={tab} />}
					{shown.part !== null && (
						<p className="mt-8">
							<Link className="btn btn-outline" to={editProfilePath(profile.username, shown.part)}>
								Edit {editParts.find(({ part }) => part === shown.part)?.title}
							</Link>
						</p>
					)}
				</section>
			</div>
		</div>
	)
}
