import { Check } from 'lucide'
import { profilePath } from '~/lib/addresses.ts'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import type { AuthorView } from '../members.view.ts'

interface AuthorNameProps {
	author: Omit<AuthorView, 'image'>
	/** Classes of the name; null to inherit. */
	look?: string | null
}

/** The author with a link to the profile. Pseudonyms have no profile, but may have the mark of a verified student. */
export function AuthorName({ author, look = '' }: AuthorNameProps) {
	const { username, name, pseudonym } = author
	if (!pseudonym)
		return (
			<Link className={look === null ? undefined : `quiet-link ${look}`.trim()} to={profilePath(username)}>
				{name}
			</Link>
		)
	return (
		<>
			<span className={look || undefined}>{name}</span>
			{pseudonym.verified && (
				<span className="text-ivy" title="Verified student">
					<Icon of={Check} className="icon-sm" />
					<span className="sr-only">Verified student</span>
				</span>
			)}
		</>
	)
}
