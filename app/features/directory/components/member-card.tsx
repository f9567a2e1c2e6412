import { CampusBadge } from '~/features/campus/components/campus-status.tsx'
import { ChatButton } from '~/features/inbox/components/chat-button.tsx'
import { editProfilePath, keepTogether, studiesText } from '~/features/members/members.view.ts'
import { linkLabel } from '~/features/members/self.view.ts'
import { type KnownState, openToText } from '~/features/profiles/profiles.view.ts'
import { useRootData } from '~/lib/root-data.ts'
import { usePresence } from '~/platform/realtime/use-presence.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { PresenceText } from '~/ui/presence.tsx'
import type { MemberView } from '../directory.view.ts'

/** Classes of the two columns of member cards, with hairlines. */
export const memberGrid = 'grid grid-cols-1 lg:grid-cols-2'
export const memberCell = 'flex min-w-0 flex-col border-b border-line py-5 lg:odd:pr-7 lg:even:border-l lg:even:pl-7'

/** Who looks at a card. @param me the viewer's username; undefined for a visitor */
function viewerOf({ username }: MemberView, me: string | undefined): MemberCardProps['viewer'] {
	if (me === undefined) return 'visitor'
	return me === username ? 'owner' : 'member'
}

/** Members as cards, with their presence as it changes. @param isOwnNew whether the viewer's own card is nearly empty */
export function MemberCards({ members, isOwnNew = false }: { members: MemberView[]; isOwnNew?: boolean }) {
	const isOnline = usePresence(members)
	const me = useRootData().viewer?.username
	return (
		<ul className={memberGrid}>
			{members.map((member) => (
				<MemoMarkup
					key={member.username}
					as="li"
					className={memberCell}
					of={MemberCard}
					with={{
						member,
						online: isOnline(member.username),
						isNew: isOwnNew && member.username === me,
						viewer: viewerOf(member, me),
					}}
				/>
			))}
		</ul>
	)
}

const MAX_CHIPS = 4

interface MemberCardProps {
	member: MemberView
	online?: boolean
	/** Whether it is the viewer's own card, and nearly empty. */
	isNew?: boolean
	/** Who looks at it. */
	viewer: 'owner' | 'member' | 'visitor'
}

/** A member in the community: what everybody may know about them, with a link to their page. */
export function MemberCard({ member, online = member.online, isNew = false, viewer }: MemberCardProps) {
	const page = `/find-dev/${member.username}`
	// Shown by the member's page until it has loaded the rest.
	const known: KnownState = { known: { ...member, online } }
	const studies = studiesText(member.studies)
	const openTo = openToText(member.openTo)
	return (
		<article className="flex flex-1 flex-col">
			<header className="flex gap-3.5">
				<Avatar user={member} size={48} online={online} />
				<div className="my-auto min-w-0 flex-1">
					<div className="flex items-baseline justify-between gap-3 max-[16rem]:flex-wrap">
						<h2 className="relative min-w-0 text-lg leading-6 font-semibold">
							{/* A block is cut where it is seen to end; an inline link would go on below the links beside it. */}
							<Link className="quiet-link block truncate" to={page} state={known}>
								{member.name}
							</Link>
							<PresenceText online={online} />
						</h2>
						<Handles member={member} />
					</div>
					{studies && <p className="text-sm text-ink-2">{keepTogether(studies)}</p>}
					{member.university && <p className="meta mt-0.5 truncate">{member.university}</p>}
					{member.campus && <CampusBadge university={member.campus} className="mt-1" />}
				</div>
			</header>
			{isNew && (
				<p className="mt-3 text-ink-2">
					This is your card.{' '}
					<Link className="link" to={editProfilePath(member.username)}>
						Complete your profile
					</Link>
				</p>
			)}
			{member.about && <p className="authored mt-3 line-clamp-3 wrap-anywhere text-ink-2">{member.about}</p>}
			{member.expertise && (
				<dl className="mt-3 flex items-baseline gap-2 text-sm">
					<dt className="flex-none text-ink-3">Expertise in</dt>
					<dd className="authored min-w-0 truncate font-medium">{member.expertise}</dd>
				</dl>
			)}
			{member.skills.length > 0 && <Skills skills={member.skills} matched={member.matchedSkills ?? []} />}
			{member.why && <p className="meta mt-3 wrap-anywhere">{member.why}</p>}
			<footer className="mt-auto flex items-center gap-2 pt-4 max-[16rem]:flex-wrap">
				<Link
					className="btn btn-outline btn-sm h-8 px-3 max-sm:h-10"
					to={page}
					state={known}
					aria-label={`View Details of ${member.name}`}
				>
					View Details
				</Link>
				{viewer !== 'owner' && (
					<ChatButton
						peer={{ username: member.username, name: member.name, image: member.image, online }}
						signedIn={viewer === 'member'}
						look="btn btn-accent btn-sm h-8 px-3 max-sm:h-10"
					/>
				)}
				{openTo && <span className="meta ml-auto text-right text-balance">{openTo}</span>}
			</footer>
		</article>
	)
}

function Handles({ member: { name, github, linkedin } }: { member: MemberView }) {
	if (!github && !linkedin) return null
	return (
		<p className="flex flex-none gap-3 text-xs leading-6 text-ink-2 max-[16rem]:flex-wrap">
			{github && <Handle site="github" label="Github" url={github} of={name} />}
			{linkedin && <Handle site="linkedin" label="Linkedin" url={linkedin} of={name} />}
		</p>
	)
}

function Handle({ site, label, url, of }: { site: 'github' | 'linkedin'; label: string; url: string; of: string }) {
	const shown = linkLabel(site, label, url)
	return (
		<a
			className="link inline-block max-w-24 min-w-6 truncate"
			href={url}
			rel="nofollow noopener"
			aria-label={`${shown} of ${of}`}
		>
			{shown}
		</a>
	)
}

/** A few skills, those that were searched for first. */
function Skills({ skills, matched }: { skills: string[]; matched: string[] }) {
	const more = skills.length - MAX_CHIPS
	const inOrder = [...matched, ...skills.filter((skill) => !matched.includes(skill))]
	return (
		<ul className="mt-3 flex flex-wrap gap-1.5" aria-label="Skills">
			{inOrder.slice(0, MAX_CHIPS).map((skill) => (
				<li key={skill} className="chip max-w-full" data-selected={matched.includes(skill) || undefined}>
					<span className="truncate">{skill}</span>
				</li>
			))}
			{more > 0 && (
				<li className="chip border-transparent px-1 text-ink-3">
					+{more}
					<span className="sr-only"> more</span>
				</li>
			)}
		</ul>
	)
}
