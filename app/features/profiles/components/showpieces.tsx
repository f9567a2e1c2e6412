import { Picture } from '~/features/pictures/components/picture.tsx'
import { monthAndYear } from '~/lib/dates.ts'
import { PICTURE_WIDTHS, pictureUrl } from '~/lib/picture-urls.ts'
import { useRootData } from '~/lib/root-data.ts'
import { type CertificateView, type ProjectView, validityText } from '../profiles.view.ts'
import { Nothing } from './sections.tsx'

/** A member's projects, as a list. */
export function Projects({ projects }: { projects: ProjectView[] }) {
	if (projects.length === 0) return <Nothing>No Project found!</Nothing>
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
				<p className="mt-1 max-w-read wrap-anywhere text-ink-2">{project.description}</p>
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

/** A member's certificates, as a grid. */
export function Certificates({ certificates }: { certificates: CertificateView[] }) {
	const { now } = useRootData()
	if (certificates.length === 0) return <Nothing>No certificates found!</Nothing>
	return (
		<ul className="grid grid-cols-1 gap-x-5 gap-y-6 min-[24rem]:grid-cols-2 sm:grid-cols-3">
			{certificates.map((certificate) => (
				<li key={certificate.id} className="min-w-0">
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
					<p className="meta mt-1">{validityText(certificate, now)}</p>
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
