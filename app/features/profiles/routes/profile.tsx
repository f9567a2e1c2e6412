import { useEffect } from 'react'
import { data, redirect, useLocation, useParams } from 'react-router'
import { SkillEvidence } from '~/features/evidence/components/skill-evidence.tsx'
import { linkLabel } from '~/features/members/self.view.ts'
import { siteDay } from '~/lib/calendar.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { PageHandle } from '~/lib/page-handle.ts'
import { memberShareMeta, pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Skeleton } from '~/ui/list-states.tsx'
import { deferIfSlow, Pending } from '~/ui/pending.tsx'
import { ContactCard } from '../components/contact-card.tsx'
import { HiddenNotice } from '../components/hidden-notice.tsx'
import { FeedLink, OwnPosts, PostTabs } from '../components/posts.tsx'
import {
	About,
	Academics,
	type AcademicsView,
	Certificates,
	Experience,
	ProfileSection,
	Projects,
	SharedSection,
} from '../components/sections.tsx'
import { ProfileScript } from '../components/structured-data.tsx'
import { findPseudonymsQuestion, listPosts, postKindOf } from '../posts.server.ts'
import printStyles from '../print.css?url'
import { getProfile } from '../profiles.server.ts'
import { feedPath, type KnownState, type ProfileView } from '../profiles.view.ts'
import type { Route } from './+types/profile'

export const handle: PageHandle = { revisit: true }

export function loader({ context, params, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = viewerOf(context)
		const profile = await getProfile(viewer, params.username).catch(async (error: unknown) => {
			if (!viewer && error instanceof NotAllowed) requireLogin(context, url)
			const elsewhere = error instanceof NotFound && (await findPseudonymsQuestion(params.username))
			throw elsewhere ? redirect(elsewhere) : error
		})
		const cursor = url.searchParams.get('cursor')
		const kind = postKindOf(url.searchParams.get('posts'))
		const posts = await listPosts(viewer, profile.username, { kind, cursor })
		const page = { profile, kind, ...posts, cursor, nonce: factsOf(context).nonce }
		return data(page, profile.indexed ? {} : { headers: { 'X-Robots-Tag': 'noindex' } })
	})
}

export function headers({ loaderHeaders }: Route.HeadersArgs) {
	return loaderHeaders
}

// The page opens at once with what the list knew of the member. Switching or extending the list of posts keeps the
// current page.
export const clientLoader = ({ serverLoader, url }: Route.ClientLoaderArgs) =>
	url.searchParams.has('cursor') || url.searchParams.has('posts') ? serverLoader() : deferIfSlow(serverLoader(), 0)

export function meta({ matches, loaderData, location, params }: Route.MetaArgs) {
	const profile = loaderData && 'profile' in loaderData ? loaderData.profile : null
	const known = (location.state as KnownState | null)?.known
	const tags = pageMeta(matches, {
		title: profile?.name ?? known?.name ?? params.username,
		noindex: !profile?.indexed,
		feed: profile ? { path: feedPath(profile.username), title: `Posts of ${profile.name}` } : undefined,
	})
	return profile && !profile.imported ? [...tags, ...memberShareMeta(matches, profile)] : tags
}

/** The print style sheet makes the page a résumé; it never blocks rendering on screen. */
export const links: Route.LinksFunction = () => [{ rel: 'stylesheet', href: printStyles, media: 'print' }]

export default function Profile({ loaderData }: Route.ComponentProps) {
	const { viewer } = useRootData()
	return (
		<div className="pt-6 md:pt-8">
			<Pending data={loaderData} skeleton={<ProfileSkeleton />}>
				{({ profile, kind, page, counts, cursor, nonce }) => (
					<div className="grid grid-cols-1 gap-x-14 gap-y-10 lg:grid-cols-[18rem_minmax(0,1fr)]">
						<LateTitle name={profile.name} />
						<ContactCard profile={profile} />
						<div className="min-w-0">
							<HiddenNotice hidden={profile.hidden} />
							{profile.imported ? (
								<ProfileSection id="about" title="About me">
									<p className="max-w-read text-md text-ink-2">
										{profile.former
											? 'This name stands for members who have left. What they wrote in the forum stays, without their names.'
											: 'This is the author of questions and answers that were imported from another site. Nobody can log in as them, so they cannot be reached here. Each text names its source.'}
									</p>
								</ProfileSection>
							) : profile.hidden && !profile.hidden.whole ? null : (
								<Details profile={profile} />
							)}
							<ProfileSection id="queries" title="Queries">
								<PostTabs shown={kind} counts={counts} />
								<OwnPosts key={kind} page={page} cursor={cursor} kind={kind} params={{ posts: kind }} />
								{!profile.former && Object.values(counts).some((count) => count > 0) && (
									<FeedLink username={profile.username} />
								)}
							</ProfileSection>
						</div>
						{/* For search engines, which see the page as visitors. */}
						{!profile.imported && viewer === null && <ProfileScript profile={profile} nonce={nonce} />}
					</div>
				)}
			</Pending>
		</div>
	)
}

/** What the member wrote about themselves. Members also see that there are no projects or certificates. */
function Details({ profile }: { profile: ProfileView }) {
	const { now, viewer } = useRootData()
	return (
		<>
			<SharedSection
				id="about"
				title="About me"
				of={About}
				with={{ about: profile.about, aboutHtml: profile.aboutHtml }}
			/>
			{viewer && profile.skills.length > 0 && (
				<SharedSection
					id="skills"
					title="Skills"
					of={SkillEvidence}
					with={{ evidence: profile.evidence, own: false }}
				/>
			)}
			<SharedSection id="academics" title="Academics" of={Academics} with={{ profile: academicsOf(profile) }} />
			{profile.experiences.some(({ kind }) => kind !== 'education') && (
				<SharedSection
					id="experience"
					title="Experience"
					of={Experience}
					with={{ experiences: profile.experiences.filter(({ kind }) => kind !== 'education') }}
				/>
			)}
			{(viewer || profile.projects.length > 0) && (
				<SharedSection
					id="projects"
					title="Projects"
					count={profile.projects.length}
					of={Projects}
					with={{ projects: profile.projects }}
				/>
			)}
			{(viewer || profile.certificates.length > 0) && (
				<SharedSection
					id="certificates"
					title="Certificates"
					count={profile.certificates.length}
					of={Certificates}
					with={{ certificates: profile.certificates, today: siteDay(now) }}
				/>
			)}
		</>
	)
}

/** Sets the title of a page that was opened before its member's name was known: React Router sets it only then. */
function LateTitle({ name }: { name: string }) {
	const { siteName } = useRootData()
	useEffect(() => {
		const title = `${name} · ${siteName}`
		if (!document.title.endsWith(title)) document.title = title
	}, [name, siteName])
	return null
}

/** The public part of a member's academics. */
function academicsOf({ studies, university, location, yearOfPassing, experiences }: ProfileView): AcademicsView {
	return { studies, university, location, yearOfPassing, experiences, enrolmentNumber: '', universityEmail: '' }
}

/** A loading profile: what the list knew of the member, otherwise the card and the section headings. */
function ProfileSkeleton() {
	const known = useKnown()
	return (
		<div
			className={`grid grid-cols-1 gap-x-14 gap-y-10 lg:grid-cols-[18rem_minmax(0,1fr)] ${known ? '' : 'after-150ms'}`}
			aria-busy="true"
		>
			<p className="sr-only" role="status">
				Loading the profile
			</p>
			{known ? <ContactCard profile={known} /> : <CardSkeleton />}
			<div className="min-w-0">
				{known?.about && (
					<ProfileSection id="about" title="About me">
						<About about={known.about} aboutHtml={null} />
					</ProfileSection>
				)}
				{['about', 'academics', 'projects'].slice(known?.about ? 1 : 0).map((section) => (
					<SectionSkeleton key={section} />
				))}
			</div>
		</div>
	)
}

function CardSkeleton() {
	return (
		<div className="rounded-md border border-line-2 p-5">
			<Skeleton className="size-28 rounded-md" />
			<Skeleton className="mt-5 h-6 w-44" />
			<Skeleton className="mt-2.5 h-3 w-28" />
			<Skeleton className="mt-5 h-4 w-full" />
			<Skeleton className="mt-8 h-3 w-48" />
			<Skeleton className="mt-3 h-3 w-40" />
			<Skeleton className="mt-3 h-3 w-44" />
		</div>
	)
}

function SectionSkeleton() {
	return (
		<div className="after-150ms grid gap-x-8 border-t border-rule pt-3 pb-10 md:grid-cols-[8rem_minmax(0,1fr)]">
			<Skeleton className="h-3 w-20 max-md:mb-4" />
			<div>
				<Skeleton className="h-3 w-full" />
				<Skeleton className="mt-3 h-3 w-11/12" />
				<Skeleton className="mt-3 h-3 w-3/5" />
			</div>
		</div>
	)
}

/** The member as the previous list knew them, with empty values for the rest. */
function useKnown(): ProfileView | null {
	const { username } = useParams()
	const known = (useLocation().state as KnownState | null)?.known
	if (!known || known.username !== username) return null
	return {
		...known,
		lastSeenAt: null,
		imported: false,
		former: false,
		joinedAt: '',
		city: '',
		location: '',
		yearOfPassing: null,
		social: [
			{ label: linkLabel('github', 'Github', known.github), url: known.github },
			{ label: linkLabel('linkedin', 'Linkedin', known.linkedin), url: known.linkedin },
		].filter(({ url }) => url !== ''),
		email: '',
		phone: '',
		enrolmentNumber: '',
		universityEmail: '',
		shows: { email: false, phone: false },
		hidden: null,
		evidence: [],
		aboutHtml: null,
		pronouns: '',
		status: '',
		openUntil: null,
		indexed: false,
		projects: [],
		certificates: [],
		experiences: [],
	}
}
