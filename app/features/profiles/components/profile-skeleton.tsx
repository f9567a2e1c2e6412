import { useLocation, useParams } from 'react-router'
import { Skeleton } from '~/ui/skeleton.tsx'
import type { KnownState, ProfileView } from '../profiles.view.ts'
import { ContactCard } from './contact-card.tsx'
import { About, Section } from './sections.tsx'

/** A profile that is still loading: what the list knew of the member, else the card and the head of each section. */
export function ProfileSkeleton() {
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
					<Section id="about" title="About me">
						<About about={known.about} />
					</Section>
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

/** The member as the list that led here knew them, with nothing where it knew nothing. */
function useKnown(): ProfileView | null {
	const { username } = useParams()
	const known = (useLocation().state as KnownState | null)?.known
	if (!known || known.username !== username) return null
	return {
		...known,
		lastSeenAt: null,
		imported: false,
		joinedAt: '',
		city: '',
		location: '',
		yearOfPassing: null,
		social: [
			{ label: 'Github', url: known.github },
			{ label: 'Linkedin', url: known.linkedin },
		].filter(({ url }) => url !== ''),
		email: '',
		phone: '',
		enrolmentNumber: '',
		universityEmail: '',
		shows: { email: false, phone: false },
		hidden: null,
		projects: [],
		certificates: [],
	}
}
