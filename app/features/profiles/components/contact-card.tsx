import { Check, GraduationCap, type IconNode, Mail, MapPin, Phone } from 'lucide'
import type { ReactNode } from 'react'
import { CampusBadge } from '~/features/campus/components/campus-status.tsx'
import { ChatButton } from '~/features/inbox/components/chat-button.tsx'
import { editProfilePath, keepTogether, skillPath, studiesText } from '~/features/members/members.view.ts'
import { openings } from '~/features/members/self.view.ts'
import { fullDate } from '~/lib/calendar.ts'
import { useRootData } from '~/lib/root-data.ts'
import { isModerator } from '~/lib/viewer.ts'
import { usePresence } from '~/platform/realtime/use-presence.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { Presence } from '~/ui/presence.tsx'
import { openToText, type ProfileView } from '../profiles.view.ts'

/**
 * A member's identity and contact details. Their owner also sees those that others do not, marked as such.
 * @param own whether this is their page /my-profile, not the public one
 */
export function ContactCard({ profile, own = false }: { profile: ProfileView; own?: boolean }) {
	const online = usePresence([profile])(profile.username)
	const { viewer } = useRootData()
	// The card does not show these, and its memo key would only grow.
	const { projects: _projects, certificates: _certificates, evidence: _evidence, ...rest } = profile
	const { about: _about, aboutHtml: _html, experiences: _experiences, ...shown } = rest
	const isViewer = viewer?.username === profile.username
	const viewerIs = isViewer ? 'owner' : isModerator(viewer) ? 'moderator' : viewer ? 'member' : 'visitor'
	return (
		<MemoMarkup
			as="aside"
			className="lg:sticky lg:top-22 lg:self-start"
			aria-label="Contact"
			of={Card}
			with={{ profile: shown, online, own, viewer: viewerIs }}
			times={profile.lastSeenAt === null ? [] : [profile.lastSeenAt]}
		/>
	)
}

interface CardProps {
	profile: Omit<ProfileView, 'projects' | 'certificates' | 'experiences' | 'evidence' | 'about' | 'aboutHtml'>
	online: boolean
	own: boolean
	viewer: 'owner' | 'moderator' | 'member' | 'visitor'
}

function Card({ profile, online, own, viewer }: CardProps) {
	const openTo = openToText(profile.openTo, openings.length)
	return (
		<>
			<div className="rounded-md border border-line-2 p-5 max-lg:grid max-lg:gap-x-8 sm:max-lg:grid-cols-2">
				<div className="min-w-0">
					<div className="flex items-end justify-between gap-3 max-[16rem]:flex-wrap">
						<Avatar user={profile} size={112} online={profile.imported ? undefined : online} />
						{!profile.imported && (
							<div className="self-start">
								<Presence online={online} lastSeenAt={profile.lastSeenAt} />
							</div>
						)}
					</div>
					<h1 className="mt-4 text-2xl font-bold wrap-anywhere">{profile.name}</h1>
					{!profile.former && (
						<p className="handle mt-0.5 text-sm break-all">
							@{profile.username}
							{profile.pronouns && <span className="text-ink-3"> · {profile.pronouns}</span>}
						</p>
					)}
					{profile.status && (
						<p className="authored mt-2 border-l-2 border-ivy pl-2.5 leading-5 wrap-anywhere">{profile.status}</p>
					)}
					{profile.expertise && <p className="authored mt-2 text-md leading-5 wrap-anywhere">{profile.expertise}</p>}
					{openTo && (
						<p className="meta mt-2">
							{openTo}
							{profile.openUntil && `, until ${fullDate(profile.openUntil)}`}
						</p>
					)}
					{profile.campus && <CampusBadge university={profile.campus} className="mt-2" />}
					{viewer !== 'owner' && !profile.imported && (
						<ChatButton
							peer={{ ...profile, online }}
							signedIn={viewer !== 'visitor'}
							look="btn btn-primary mt-4 w-full"
						/>
					)}
				</div>
				<Facts profile={profile} own={viewer === 'owner'} />
			</div>
			{!profile.imported && (
				<p className="meta mt-3 print:hidden">
					<a className="link" href={`/find-dev/${profile.username}.json`} download>
						Download as JSON Resume
					</a>
					{viewer === 'owner' && <OwnLink username={profile.username} isPublic={!own} />}
					{(viewer === 'member' || viewer === 'moderator') && (
						<OrderLinks username={profile.username} moderates={viewer === 'moderator'} />
					)}
				</p>
			)}
		</>
	)
}

/** From a member's own page to the one that others see, and from there to the editor. */
function OwnLink({ username, isPublic }: { username: string; isPublic: boolean }) {
	return (
		<>
			{' · '}
			<Link className="link" to={isPublic ? editProfilePath(username) : `/find-dev/${username}`}>
				{isPublic ? 'Edit Profile' : 'See public profile'}
			</Link>
		</>
	)
}

/** Nobody reports or moderates themselves; moderators get both links. */
function OrderLinks({ username, moderates }: { username: string; moderates: boolean }) {
	return (
		<>
			{' · '}
			<Link className="link" to={`/report/profile/${username}`} rel="nofollow">
				Report
			</Link>
			{moderates && (
				<>
					{' · '}
					<Link className="link" to={`/moderation/profile/${username}`}>
						Moderate
					</Link>
				</>
			)}
		</>
	)
}

function Facts({ profile, own }: Pick<CardProps, 'profile' | 'own'>) {
	const studies = studiesText(profile.studies)
	const privately = `Only ${own ? 'you' : 'the member'} and moderators see this.`
	const at = profile.email.indexOf('@')
	const reachable = profile.email || profile.phone || profile.city || studies
	const ruled = 'mt-4 border-t border-line pt-4 sm:max-lg:first:mt-0 sm:max-lg:first:border-0 sm:max-lg:first:pt-0'
	return (
		<div className="min-w-0">
			{reachable && (
				<dl className={`grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2.5 gap-y-2 text-sm ${ruled}`}>
					<Fact icon={Mail} label="Email" note={profile.shows.email ? '' : privately}>
						{profile.email && (
							<a className="quiet-link" href={`mailto:${profile.email}`}>
								{profile.email.slice(0, at)}
								<wbr />
								{profile.email.slice(at)}
							</a>
						)}
					</Fact>
					<Fact icon={Phone} label="Phone" note={profile.shows.phone ? '' : privately}>
						{profile.phone}
					</Fact>
					<Fact icon={MapPin} label="City">
						{profile.city}
					</Fact>
					<Fact icon={GraduationCap} label="Studies">
						{keepTogether(studies)}
					</Fact>
				</dl>
			)}
			{profile.skills.length > 0 && (
				<ul className={`flex flex-wrap gap-1.5 ${ruled}`} aria-label="Skills">
					{profile.skills.map((skill) => (
						<li key={skill} className="max-w-full">
							<Link className="chip max-w-full" to={skillPath(skill)}>
								<span className="truncate">{skill}</span>
							</Link>
						</li>
					))}
				</ul>
			)}
			{profile.social.length > 0 && (
				<p className={`flex flex-wrap gap-x-4 gap-y-1 text-sm ${ruled}`}>
					{profile.social.map(({ label, url, isProven }) => (
						<span key={url} className="inline-flex max-w-full items-center gap-1">
							<a className="link truncate" href={url} rel="me nofollow noopener">
								{label}
							</a>
							{isProven && (
								<span className="text-ivy" title="Proven by logging in there">
									<Icon of={Check} className="icon-sm" />
									<span className="sr-only">, proven by logging in there</span>
								</span>
							)}
						</span>
					))}
				</p>
			)}
		</div>
	)
}

interface FactProps {
	icon: IconNode
	label: string
	/** Who sees it, if not all members. */
	note?: string
	children: ReactNode
}

function Fact({ icon, label, note, children }: FactProps) {
	if (!children) return null
	return (
		<>
			<dt className="flex h-5 items-center text-ink-3">
				<Icon of={icon} className="icon-sm" />
				<span className="sr-only">{label}</span>
			</dt>
			<dd className="min-w-0 wrap-anywhere">
				{children}
				{note && <span className="meta block print:hidden">{note}</span>}
			</dd>
		</>
	)
}
