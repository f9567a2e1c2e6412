/* What of an archive is meant to be read by its member: their texts as Markdown, and what is where. */

type Row = Record<string, unknown>

/** What makes a row of a table a file with its text; undefined for tables without long texts. */
export function markdownOf(table: string): ((row: Row) => { name: string; input: string }) | undefined {
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

/** Stands first in each archive. */
export const README = `This is everything that the site stores about you.

data/       One JSON file for each kind of thing, an array with one object for each row.
            schema.txt lists them with the names in each.
            Messages are as you see them: yours, and those that reached you.
texts/      Your queries and comments as Markdown.
pictures/   The pictures that you uploaded.

Secrets such as passwords and access tokens are left out; nobody needs them but the site.
`

/** Each JSON file of an archive with the names in it, as Markdown. */
export function schemaOf(files: readonly (readonly [file: string, names: readonly string[] | string])[]): string {
	const lines = files.map(
		([file, names]) =>
			`| \`${file}\` | ${[names]
				.flat()
				.map((name) => `\`${name}\``)
				.join(', ')} |`,
	)
	return `| File | Names |\n| --- | --- |\n${lines.join('\n')}\n`
}
