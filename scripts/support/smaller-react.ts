import type { Plugin } from 'vite'

/**
 * Functions of React DOM that only `<ViewTransition>`, references to fragments, lists of Suspense, `useActionState`, and its functions
 * for loading files ahead need. Those that others call in passing, such as `isFragmentInstanceParent`, stay.
 */
const unusedFunctions =
	/^function ((?!is|get)\w*(?:ViewTransition|AfterMutationEffects|FragmentInstance|SuspenseList|ActionState)\w*|preconnectAs|preconnect|prefetchDNS|preload|preloadModule|preinitModuleScript|preinitScript|preinitStyle)\([\s\S]*?^\}$/gm
const unusedMethods = /^(?:FragmentInstance|ViewTransitionPseudoElement)\.prototype\.\w+ = function[\s\S]*?^\};$/gm

/** How much shorter React DOM gets at least, in characters before it is minified. */
const LEAST_SAVING = 60_000

/**
 * Builds React DOM without what the site does not use, a tenth of its bytes. The bundler keeps that because any component could use it;
 * here Biome refuses the imports.
 */
export function smallerReact(): Plugin {
	return {
		name: 'smaller-react',
		apply: 'build',
		applyToEnvironment: ({ name }) => name === 'client',
		transform: {
			filter: { id: /\/react-dom\/cjs\/react-dom-client\.production\.js$/ },
			handler(code) {
				const smaller = withoutUnused(code)
				if (code.length - smaller.length < LEAST_SAVING)
					this.error('React DOM has changed: its functions have other names than smaller-react.ts knows.')
				return { code: smaller, map: null }
			},
		},
	}
}

/** @param code of React DOM for browsers, not minified */
export function withoutUnused(code: string): string {
	return code.replace(unusedMethods, '').replace(unusedFunctions, 'function $1() {}')
}
