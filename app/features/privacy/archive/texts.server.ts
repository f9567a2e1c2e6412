/* The readable part of an archive: the member's texts as Markdown, and a description of the files. */

type Row = Record<string, unknown>

/** A function that turns a row into a Markdown file; undefined for tables without long texts. */
export function markdownFileOf(table: string): ((row: Row) => { name: string; input: string }) | undefined {
	if (table === 'questions')
		return ({ id, title, description, tags, created_at }) => ({
			name: `texts/queries/${id}.md`,
			input: `# ${title}\n\n${dateOf(created_at)} · ${(tags as string[]).join(', ')}\n\n${description}\n`,
		})
	if (table === 'comments')
		return ({ id, question_id, body, created_at }) => ({
			name: `texts/comments/${id}.md`,
			input: `${dateOf(created_at)} · below query ${question_id}\n\n${body}\n`,
		})
	return undefined
}

function dateOf(at: unknown): string {
	return at instanceof Date ? at.toISOString() : ''
}

/** The first file of each archive. */
export const ARCHIVE_README = `This is everything that the site stores about you.

data/       One JSON file for each kind of thing, an array with one object for each row.
            schema.txt lists them with the names in each.
            Messages are as you see them: yours, and those that reached you.
texts/      Your queries and comments as Markdown.
pictures/   The pictures that you uploaded.

Secrets such as passwords and access tokens are left out; nobody needs them but the site.
`

/** Describes each JSON file of an archive with its fields, as Markdown. */
export function describeArchiveFiles(
	files: readonly (readonly [file: string, names: readonly string[] | string])[],
): string {
	const lines = files.map(
		([file, names]) =>
			`| \`${file}\` | ${[names]
				.flat()
				.map((name) => `\`${name}\``)
				.join(', ')} |`,
	)
	return `| File | Names |\n| --- | --- |\n${lines.join('\n')}\n`
}
