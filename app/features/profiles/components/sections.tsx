import type { ComponentType, ReactNode } from 'react'
import { Picture } from '~/features/pictures/components/picture.tsx'
import { paragraphs } from '~/features/profiles/profiles.view.ts'
import { PICTURE_WIDTHS, pictureUrl } from '~/lib/addresses.ts'
import { monthAndYear } from '~/lib/calendar.ts'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { Prose } from '~/ui/prose.tsx'
import { type CertificateView, type ProfileView, type ProjectView, validityText } from '../profiles.view.ts'

interface HeadedProps {
	id: string
	title: string
	/** The number of items in the section. */
	count?: number
}

/** A part of a profile: its name in the left column, its content in the right one. */
export function ProfileSection({ children, ...head }: HeadedProps & { children: ReactNode }) {
	return (
		<Headed {...head}>
			<div className="min-w-0">{children}</div>
		</Headed>
	)
}

interface SharedSectionProps<Props extends object> extends HeadedProps {
	/** Renders from its props only, see {@link MemoMarkup}. */
	of: ComponentType<Props>
	with: Props
}

/** Like {@link ProfileSection}, with content that is the same for all viewers who get the same props. */
export function SharedSection<Props extends object>({ of, with: given, ...head }: SharedSectionProps<Props>) {
	return (
		<Headed {...head}>
			<MemoMarkup as="div" className="min-w-0" of={of} with={given} />
		</Headed>
	)
}

function Headed({ id, title, count, children }: HeadedProps & { children: ReactNode }) {
	return (
		<section
			className="grid grid-cols-1 gap-x-8 border-t border-rule pt-3 pb-10 md:grid-cols-[8rem_minmax(0,1fr)]"
			aria-labelledby={id}
		>
			<h2 id={id} className="text-sm font-semibold max-md:mb-3">
				{title} {count ? <span className="font-normal text-ink-3">{count}</span> : null}
			</h2>
			{children}
		</section>
	)
}

/** The text of an empty section. */
export function EmptySection({ children }: { children: string }) {
	return <p className="text-md text-ink-3">{children}</p>
}

/** A member's own introduction. @param aboutHtml null for a text that is shown as it is */
export function About({ about, aboutHtml }: Pick<ProfileView, 'about' | 'aboutHtml'>) {
	if (aboutHtml !== null) return <Prose html={aboutHtml} />
	if (!about.trim()) return <EmptySection>Nothing written yet.</EmptySection>
	return (
		<div className="prose max-w-read">
			{paragraphs(about).map((text) => (
				<p key={text}>{text}</p>
			))}
		</div>
	)
}

/** The fields of the academics section. */
export type AcademicsView = Pick<
	ProfileView,
	'studies' | 'university' | 'location' | 'yearOfPassing' | 'experiences' | 'enrolmentNumber' | 'universityEmail'
>

/** Where and what a member studies. The owner also sees the two fields that are private. */
export function Academics({ profile, own = false }: { profile: AcademicsView; own?: boolean }) {
	const { studies, university, location, yearOfPassing, enrolmentNumber, universityEmail } = profile
	const earlier = profile.experiences.filter(({ kind }) => kind === 'education')
	const isStudying = [studies.branch, university, location, yearOfPassing, studies.year, studies.semester].some(Boolean)
	const isEnrolled = own && (enrolmentNumber !== '' || universityEmail !== '')
	if (!isStudying && !isEnrolled && earlier.length === 0) return <EmptySection>Nothing written yet.</EmptySection>
	return (
		<div className="grid grid-cols-1 gap-4">
			{isStudying && <Studies profile={profile} />}
			{isEnrolled && (
				<dl className="grid gap-x-6 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
					{enrolmentNumber && <OwnFact label="Enrolment number">{enrolmentNumber}</OwnFact>}
					{universityEmail && <OwnFact label="University email">{universityEmail}</OwnFact>}
				</dl>
			)}
			{earlier.length > 0 && <Experience experiences={earlier} />}
		</div>
	)
}

function Studies({ profile: { studies, university, location, yearOfPassing } }: { profile: AcademicsView }) {
	const [heading, ...place] = [studies.branch, university, location].filter(Boolean)
	const now = [studies.year && `Year ${studies.year}`, studies.semester && `semester ${studies.semester}`]
		.filter(Boolean)
		.join(', ')
	return (
		<div className="flex flex-wrap justify-between gap-x-6">
			{heading && (
				<div className="min-w-0">
					<h3 className="text-md leading-6 font-semibold wrap-anywhere">{heading}</h3>
					{place.length > 0 && <p className="wrap-anywhere text-ink-2">{place.join(', ')}</p>}
				</div>
			)}
			{(now || yearOfPassing) && (
				<p className="text-sm leading-6 text-ink-3 sm:text-right">
					{now && <span className="block">{now}</span>}
					{yearOfPassing && <span className="block">Passing {yearOfPassing}</span>}
				</p>
			)}
		</div>
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

/** Studies, work or volunteering, as a list. */
export function Experience({ experiences }: Pick<ProfileView, 'experiences'>) {
	if (experiences.length === 0) return <EmptySection>Nothing written yet.</EmptySection>
	return (
		<ul className="grid gap-5">
			{experiences.map(({ id, kind, organisation, title, url, span, summary }) => (
				<li key={id}>
					<div className="flex flex-wrap justify-between gap-x-6">
						<div className="min-w-0">
							<h3 className="text-md leading-6 font-semibold wrap-anywhere">
								{title || <Organisation name={organisation} url={url} />}
							</h3>
							{(title || kind === 'volunteer') && (
								<p className="wrap-anywhere text-ink-2">
									{title && <Organisation name={organisation} url={url} />}
									{kind === 'volunteer' && (title ? ', volunteer' : 'Volunteer')}
								</p>
							)}
						</div>
						{span && <p className="text-sm leading-6 text-ink-3 sm:text-right">{span}</p>}
					</div>
					{summary && <p className="mt-1 max-w-read whitespace-pre-line wrap-anywhere text-ink-2">{summary}</p>}
				</li>
			))}
		</ul>
	)
}

function Organisation({ name, url }: { name: string; url: string }) {
	if (!url) return name
	return (
		<a className="link" href={url} rel="nofollow noopener">
			{name}
		</a>
	)
}

/** A member's projects, as a list. */
export function Projects({ projects }: { projects: ProjectView[] }) {
	if (projects.length === 0) return <EmptySection>No Project found!</EmptySection>
	return (
		<ul className="grid gap-7">
			{projects.map((project) => (
				<li key={project.id}>
					<Project project={project} />
				</li>
			))}
		</ul>
	)
}

function Project({ project }: { project: ProjectView }) {
	const date = monthAndYear(project.date)
	return (
		<article
			id={`project-${project.id}`}
			className={project.image ? 'grid grid-cols-1 gap-x-5 gap-y-3 sm:grid-cols-[14rem_minmax(0,1fr)]' : undefined}
		>
			{project.image && (
				<Picture
					className="aspect-8/5 w-full rounded-md border border-line object-cover"
					picture={project.image}
					alt={`Screenshot of ${project.title}`}
					sizes="(width >= 40rem) 14rem, 92vw"
				/>
			)}
			<div className="min-w-0">
				<div className="flex items-baseline justify-between gap-4">
					<h3 className="min-w-0 text-lg leading-6 font-semibold wrap-anywhere">{project.title}</h3>
					{date && <p className="meta flex-none">{date}</p>}
				</div>
				{project.description && (
					<p className="authored mt-1 max-w-read whitespace-pre-line wrap-anywhere text-ink-2">{project.description}</p>
				)}
				{project.stack.length > 0 && (
					<ul className="mt-3 flex flex-wrap gap-1.5" aria-label="Built with">
						{project.stack.map((part) => (
							<li key={part} className="chip max-w-full">
								<span className="truncate">{part}</span>
							</li>
						))}
					</ul>
				)}
				{project.links.length > 0 && (
					<p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-sm">
						{project.links.map(({ label, url }) => (
							<a
								key={label}
								className="link inline-block"
								href={url}
								rel="nofollow noopener"
								aria-label={`${label}: ${project.title}`}
							>
								{label}
							</a>
						))}
					</p>
				)}
			</div>
		</article>
	)
}

/** A member's certificates, as a grid. @param today `2026-11-21` */
export function Certificates({ certificates, today }: { certificates: CertificateView[]; today: string }) {
	if (certificates.length === 0) return <EmptySection>No certificates found!</EmptySection>
	return (
		<ul className="grid grid-cols-1 gap-x-5 gap-y-6 min-[24rem]:grid-cols-2 sm:grid-cols-3">
			{certificates.map((certificate) => (
				<li key={certificate.id} id={`certificate-${certificate.id}`} className="min-w-0">
					{certificate.image && (
						<a
							className="mb-2.5 block overflow-clip rounded-md border border-line hover:border-control"
							href={pictureUrl(certificate.image.path, PICTURE_WIDTHS[2])}
							aria-label={`Enlarge ${certificate.title}`}
						>
							<Picture
								className="aspect-[640/452] w-full object-cover"
								picture={certificate.image}
								alt=""
								sizes="(width >= 64rem) 13rem, (width >= 24rem) 45vw, 92vw"
							/>
						</a>
					)}
					<h3 className="leading-5 font-semibold wrap-anywhere">
						{certificate.url ? (
							<a className="quiet-link" href={certificate.url} rel="nofollow noopener">
								{certificate.title}
							</a>
						) : (
							certificate.title
						)}
					</h3>
					<p className="meta mt-1">{validityText(certificate, today)}</p>
					{certificate.verify && (
						<a
							className="link mt-1.5 inline-block text-sm"
							href={certificate.verify}
							rel="nofollow noopener"
							aria-label={`Verify ${certificate.title}`}
						>
							Verify
						</a>
					)}
				</li>
			))}
		</ul>
	)
}
