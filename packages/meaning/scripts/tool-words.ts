/** Words of software and work, from which sentences about tools are generated. */

const split = (text: string) => text.trim().split(/\s*,\s*/);

/** Actions, in the form of a command. */
export const actions = split(`
  create, make, add, insert, open, start, launch, run, execute, trigger, schedule, plan, book, reserve, order, buy, purchase, pay, charge, refund,
  get, fetch, retrieve, read, load, view, show, display, list, browse, enumerate, find, search, look up, query, filter, select, count, check, inspect,
  verify, validate, test, compare, analyze, measure, calculate, compute, estimate, predict, forecast, summarize, describe, explain, translate, detect,
  update, edit, change, modify, rename, replace, move, copy, duplicate, merge, split, sort, convert, format, encode, decode, compress, extract, parse,
  delete, remove, clear, erase, drop, cancel, close, archive, restore, revert, undo, reset, disable, enable, lock, unlock, approve, reject, accept,
  send, post, publish, share, upload, download, export, import, sync, back up, save, store, write, append, record, log, track, monitor, watch,
  subscribe to, notify about, assign, invite, join, leave, follow, like, comment on, reply to, forward, review, rate, tag, label, mark, pin, star,
  connect to, authenticate, sign in to, authorize, revoke, grant, deploy, build, compile, install, configure, set up, scale, stop, restart, pause, resume,
  draw, render, plot, crop, resize, rotate, record, play, transcribe, scrape, crawl, click, scroll, navigate to, type into, take a screenshot of
`);

/** What is acted on, with an article or in the plural. */
export const objects = split(`
  a file, files, a folder, a directory, the directory tree, a document, a page, a paragraph, a heading, a spreadsheet, a cell, rows, columns, a table, a chart,
  a slide, a presentation, a form, a survey, a template, an image, photos, a picture, a video, an audio clip, a song, a playlist, an album, an artist, lyrics,
  a podcast episode, a movie, a book, an article, the news, headlines, a blog post, a feed, a web page, a website, a link, a bookmark, the browser tab,
  a search result, a screenshot, a button, an element of the page, a repository, a branch, a commit, a pull request, a merge request, an issue, a bug report,
  a label, a milestone, a release, a tag, a fork, a gist, a code review, a diff, a workflow run, a build, a pipeline, a job, an artifact, a package,
  a dependency, a vulnerability, a security alert, a secret, a token, an API key, a password, a certificate, a permission, a role, a user, an account,
  a profile, a member, a team, an organization, a group, a contact, a customer, a lead, a deal, a company, a vendor, an employee, a candidate, an applicant,
  an email, a message, a thread, a channel, a chat, a conversation, a reply, a draft, an attachment, a notification, a reminder, an alarm, a call, a meeting,
  an event, a calendar, an appointment, an invitation, free time slots, a schedule, a task, a to-do list, a project, a board, a card, a ticket, a sprint,
  an epic, a comment, a note, a notebook, a tag, a category, a database, a query, a record, a row of a table, the schema, an index, a view, a collection,
  a key, a value, a bucket, an object in storage, a blob, a snapshot, a backup, a volume, a server, a virtual machine, an instance, a cluster, a node, a pod,
  a container, a service, a deployment, a function, an endpoint, a load balancer, a network, a subnet, a firewall rule, a domain, a DNS record, an IP address,
  logs, metrics, an alert, an incident, an error, a stack trace, an exception, a crash report, a dashboard, a monitor, uptime, latency, a trace, an event log,
  a model, a dataset, an experiment, an embedding, a prompt, a completion, an agent, a memory, an entity, a relation, a knowledge graph, an observation,
  an invoice, a payment, a refund, a subscription, a plan, a price, a product, an order, a cart, a discount, a coupon, stock in a warehouse, inventory,
  a shipment, a package delivery, a tracking number, a receipt, an expense, a budget, a bank account, a balance, a transaction, a transfer, a loan, a mortgage,
  taxes, a currency, an exchange rate, a stock price, a share, a portfolio, a dividend, a cryptocurrency, a wallet, a token balance, a smart contract, a block,
  a flight, an airport, a hotel, a room, a reservation, a ticket for a train, a bus route, a car rental, a trip, an itinerary, a map, directions, a route,
  the distance, a place, a restaurant, a cafe, a recipe, an ingredient, a meal, calories, a menu, groceries, the weather, a forecast, the temperature, rain,
  wind, air quality, an earthquake, sunrise and sunset, a time zone, the current time, a date, a holiday, a country, a city, a postal code, an address,
  coordinates, a location, a building, a device, a light, a thermostat, a sensor, a camera, a printer, a phone, a screen, a game, a player, a score, a match,
  a league, a tournament, a workout, a heart rate, sleep data, a medicine, a drug, a disease, a symptom, a patient, a doctor, a clinical trial, a gene,
  a protein, a molecule, a research paper, a citation, an author, a journal, a patent, a law, a court case, a contract, a clause, a signature, a policy,
  a job posting, a resume, a salary, a course, a lesson, a quiz, a student, a grade, a word, a definition, a synonym, a translation, a language, a sentence,
  text, a summary, a keyword, sentiment, a number, an equation, a matrix, statistics, a graph, a random number, a unit of measurement, a color, an icon,
  a font, a design, a component, a layer, a frame, a style, a variable, a property, a setting, a plugin, an extension, a version, a license, a script,
  a command, a process, the terminal output, an environment variable, a symbol, a class, a function definition, a test, a breakpoint, a variable in scope
`);

/** Where, for whom or how. */
export const circumstances = split(`
  in a repository, in the project, in this folder, in the workspace, in a channel, in the cloud, in a database, in the cart, in the calendar, in my inbox,
  on the server, on the page, on the map, on my account, on the board, on a website, on disk, from a URL, from the archive, from the database, from a list,
  from yesterday, from last week, since Monday, before the deadline, for tomorrow, for next week, for today, by name, by id, by date, by email address,
  by keyword, by label, by status, by author, by location, with a filter, with a title and a body, with pagination, with details, with its content,
  without duplicates, that match a pattern, that are open, that are overdue, that I own, that were changed recently, that are assigned to me,
  of a user, of a customer, of the team, of a company, of a city, of the current branch, of an order, of a product, of a given type, between two dates,
  between two points, near me, near an address, around the world, as a PDF, as JSON, as CSV, as Markdown, as an image, to a file, to another folder,
  to a colleague, to the whole team, to production, to another language, to another currency, using a template, using a query, in real time, in bulk,
  in the background, at a certain time, every day, once a week, over the last month, per month, in total, and return the result, and wait for the answer
`);

/** How people and descriptions word an action: \`{do}\` is the action with its object. */
export const requests = split(`
  {do}, {do}, {do}, please {do}, can you {do}, could you {do} for me, I want to {do}, I need to {do}, I would like to {do}, how do I {do}, help me {do},
  let me {do}, we have to {do}, use this to {do}, a tool to {do}, allows you to {do}, lets an agent {do}, the user asks to {do}, is it possible to {do}
`);

/** Questions and descriptions about an object: \`{what}\`. */
export const questions = split(`
  what is {what}, where is {what}, which is the newest {what}, who owns {what}, who changed {what}, when was {what} changed, why did {what} fail,
  how much is {what}, how many are there of {what}, is there {what}, do we have {what}, does {what} exist, what happened to {what}, what is the status of {what},
  tell me about {what}, details of {what}, information about {what}, the name of {what}, the history of {what}, the size of {what}, the list of {what},
  returns {what}, gets {what}, creates {what}, deletes {what}, updates {what}, a list of {what}, the properties of {what}, everything about {what}
`);

/** How requests begin, after another one or with who makes them. */
export const openings = [
  ...split(`
    hey, hi, hello, first, firstly, additionally, also, then, next, after that, finally, lastly, moreover, furthermore, preferably, instead, and, please,
    I am planning a trip and, I'm organizing an event and, we're working on a project and, as a developer I, for my company, for my website, for my app,
    my friends and I
  `),
  "I'm interested in this: ",
];
