/** A page of the site. */
interface Page {
  readonly text: string;
  readonly link: string;
}

/** A group of pages. */
interface Group {
  readonly text: string;
  readonly items: readonly Page[];
}

/** The pages of the site, in the order of the sidebar and of `llms.txt`. */
export const sidebar: readonly Group[] = [
  {
    text: "Start",
    items: [
      { text: "Quickstart", link: "/quickstart" },
      { text: "Concepts", link: "/concepts" },
      { text: "Comparison", link: "/comparison" },
      { text: "Versions and platforms", link: "/versions" },
      { text: "Troubleshooting", link: "/troubleshooting" },
    ],
  },
  {
    text: "Use",
    items: [
      { text: "Clients", link: "/clients" },
      { text: "Command line", link: "/command-line" },
      { text: "Settings", link: "/settings" },
      { text: "Many clients over HTTP", link: "/http" },
      { text: "Other servers", link: "/other-servers" },
      { text: "Records", link: "/records" },
      { text: "Large results", link: "/large-results" },
      { text: "Models", link: "/models" },
    ],
  },
  {
    text: "Tutorials",
    items: [
      { text: "Five servers behind one", link: "/tutorials/five-servers" },
      { text: "A pack in ten minutes", link: "/tutorials/pack" },
      { text: "A pack with records", link: "/tutorials/records-pack" },
      { text: "A nightly workflow", link: "/tutorials/nightly-workflow" },
      { text: "Issues for three agents", link: "/tutorials/issues" },
      { text: "Gates", link: "/tutorials/gates" },
      { text: "A team of two", link: "/tutorials/small-team" },
      { text: "Ten replicas", link: "/tutorials/replicas" },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "Commands", link: "/reference/cli" },
      { text: "Config file", link: "/reference/config" },
      { text: "Tools", link: "/reference/tools" },
      { text: "API", link: "/reference/api" },
    ],
  },
  {
    text: "Inside",
    items: [
      { text: "Architecture", link: "/architecture" },
      { text: "Scaling", link: "/scaling" },
      { text: "Security", link: "/security" },
    ],
  },
];
