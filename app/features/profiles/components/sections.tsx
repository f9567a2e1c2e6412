import type { ReactNode } from 'react'
import { paragraphs } from '~/lib/text.ts'
import type { ProfileView } from '../profiles.present.ts'

interface SectionProps {
	id: string
	title: string
	/** How many things the section lists. */
	count?: number
	children: ReactNode
}

/** A part of a profile: its name in the left column, its content in the right one. */
export function Section({ id, title, count, children }: SectionProps) {
	return (
		<section
			className="grid grid-cols-1 gap-x-8 border-t border-rule pt-3 pb-10 md:grid-cols-[8rem_minmax(0,1fr)]"
			aria-labelledby={id}
		>
			<h2 id={id} className="text-sm font-semibold max-md:mb-3">
				{title} {count ? <span className="font-normal text-ink-3">{count}</span> : null}
			</h2>
			<div className="min-w-0">{children}</div>
		</section>
	)
}

/** What a section says when it has nothing. */
export function Nothing({ children }: { children: string }) {
	return <p className="text-md text-ink-3">{children}</p>
}

export function About({ about }: { about: string }) {
	if (!about.trim()) return <Nothing>Nothing written yet.</Nothing>
	return (
		<div className="prose max-w-read">
			{paragraphs(about).map((text) => (
				<p key={text}>{text}</p>
			))}
		</div>
	)
}

/** Where and what a member studies. The owner also sees the two fields that are shown to nobody else. */
export function Academics({ profile, own = false }: { profile: ProfileView; own?: boolean }) {
	const { studies, university, location, yearOfPassing, enrolmentNumber, universityEmail } = profile
	if (!studies.branch && !university && !yearOfPassing && !studies.year && !studies.semester)
		return <Nothing>Nothing written yet.</Nothing>
	const now = [studies.year && `Year ${studies.year}`, studies.semester && `semester ${studies.semester}`]
		.filter(Boolean)
		.join(', ')
	return (
		<>
			<div className="flex flex-wrap justify-between gap-x-6">
				<div className="min-w-0">
					<h3 className="text-md leading-6 font-semibold wrap-anywhere">{studies.branch || university}</h3>
					<p className="wrap-anywhere text-ink-2">
						{[studies.branch && university, location].filter(Boolean).join(', ')}
					</p>
				</div>
				<p className="text-sm leading-6 text-ink-3 sm:text-right">
					{now && <span className="block">{now}</span>}
					{yearOfPassing && <span className="block">Passing {yearOfPassing}</span>}
				</p>
			</div>
			{own && (enrolmentNumber || universityEmail) && (
				<dl className="mt-4 grid gap-x-6 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
					{enrolmentNumber && <OwnFact label="Enrolment number">{enrolmentNumber}</OwnFact>}
					{universityEmail && <OwnFact label="University email">{universityEmail}</OwnFact>}
				</dl>
			)}
		</>
	)
}

function OwnFact({ label, children }: { label: string; children: string }) {
	return (
		<>
			<dt className="text-ink-3">{label}</dt>
			<dd className="wrap-anywhere">
				{children} <span className="meta">(only you see this)</span>
			</dd>
		</>
	)
}
