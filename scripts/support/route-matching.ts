import type { Plugin } from 'vite'

const loop = 'matches = matchRouteBranch(branches[i], decoded, allowPartial)'

/**
 * Compares the first part of an address before React Router compares all of it: for each request it builds the matches of all parents of
 * nearly every route before it looks at the route itself, twice. That took a twentieth of a member's list and left a quarter of its garbage.
 */
export const routeMatching: Plugin = {
	name: 'route-matching',
	apply: 'build',
	applyToEnvironment: ({ name }) => name === 'ssr',
	transform: {
		filter: { id: /\/react-router\/dist\/production\/lib\/router\/utils\.js$/ },
		handler(code) {
			if (!code.includes(loop)) this.error('React Router matches its routes differently.')
			return { code: withFirstParts(code), map: null }
		},
	},
}

/** The module of React Router that matches routes, with {@link mayMatch} before each one. */
export function withFirstParts(code: string): string {
	return `${code.replace(loop, `if (mayMatch(branches[i], decoded)) ${loop}`)}\n${mayMatch}`
}

/** Runs within that module, without access to this one. Routes whose address begins with a parameter may always match. */
function mayMatch(branch: { path: string; first?: string }, path: string): boolean {
	branch.first ??= /^\/[^/:*?]+(?=\/|$)/.exec(branch.path)?.[0].toLowerCase() ?? ''
	return path.slice(0, branch.first.length).toLowerCase() === branch.first
}
