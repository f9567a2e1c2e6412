import { profilePath } from '~/lib/addresses.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Link } from '~/ui/link.tsx'
import { searchPath } from '../finder.paths.ts'
import type { ProjectHit } from '../finder.view.ts'

/** Technologies that a row shows. */
const MAX_STACK = 8

/** A project in a list: title, matching text, owner and technologies. */
export function ProjectResult({ project: { url, titleHtml, excerptHtml, stack, owner } }: { project: ProjectHit }) {
	const matching = stack.filter(({ matched }) => matched)
	const shown = [...matching, ...stack.filter(({ matched }) => !matched)].slice(0, MAX_STACK)
	return (
		<li className="border-b border-line py-4">
			<article>
				<h2 className="text-lg leading-6 font-semibold wrap-anywhere">
					<Link className="quiet-link" to={url}>
						<span dangerouslySetInnerHTML={{ __html: titleHtml }} />
					</Link>
				</h2>
				{excerptHtml && (
					<p className="mt-1 max-w-read wrap-anywhere text-ink-2" dangerouslySetInnerHTML={{ __html: excerptHtml }} />
				)}
				<footer className="mt-2.5 flex flex-wrap items-center gap-x-3 gap-y-2 text-xs text-ink-3">
					<span className="flex min-w-0 items-center gap-2">
						<Avatar user={owner} size={20} />
						<Link className="quiet-link truncate font-semibold text-ink" to={profilePath(owner.username)}>
							{owner.name}
						</Link>
					</span>
					{shown.length > 0 && (
						<ul className="flex min-w-0 flex-wrap gap-1.5" aria-label="Built with">
							{shown.map(({ name, matched }) => (
								<li key={name} className="min-w-0">
									<Link
										className="chip max-w-full"
										to={searchPath(`tag:${tagWord(name)}`, 'projects')}
										data-selected={matched || undefined}
										aria-label={`Projects with ${name}`}
									>
										<span className="truncate">{name}</span>
									</Link>
								</li>
							))}
						</ul>
					)}
				</footer>
			</article>
		</li>
	)
}

/** A technology in the syntax of operators, without spaces. */
function tagWord(name: string): string {
	return name.replaceAll('"', '').trim().replace(/\s+/g, '-').toLowerCase()
}
