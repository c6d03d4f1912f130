/** A programming language, known by patterns of its lines. */
export interface Language {
  readonly name: string;
  /** Lines that this language has and texts of another kind do not. */
  readonly signal: RegExp;
  /** Definitions: indentation, keyword (may be missing), name. */
  readonly symbol: RegExp;
}

export const languages: readonly Language[] = [
  {
    name: "TypeScript",
    signal:
      /^(?:import type\s|import\s.*\bfrom\s+["'][^"']+\.tsx?["']|export (?:type|interface|enum|abstract|declare)\s|(?:declare\s+)?(?:interface|namespace|enum)\s+\w+|type\s+\w+(?:<.*>)?\s*=)|^\s*(?:(?:public|private|protected|readonly)\s+[\w#]+\??[:(]|(?:export\s+)?(?:const|let|function|async function)\b.*\)?:\s?(?:string|number|boolean|void|unknown|Promise<|readonly\s)|[\w#]+\??:\s*(?:string|number|boolean|unknown|void)\b.*;)/,
    symbol:
      /^(\s*)(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function|class|interface|type|enum|namespace)\b\*?\s+([\w$]+)|^()(?:export\s+)?(const|let|var)\s+([\w$]+)|^(\s+)(?:(?:public|private|protected|static|async|get|set|override)\s+)*()(?!(?:if|for|while|switch|catch|function|return|await)\b)([\w$#]+)\([^)]*\)(?::[^{]*)?\s\{$|^(\s*)(test|it|describe)\b[.\w]*\(\s*["'`](.{1,60}?)["'`],/,
  },
  {
    name: "JavaScript",
    signal:
      /^(?:import\s.*\bfrom\s+["']|export\s+(?:default|const|function|class|async|\{)|module\.exports|exports\.\w+\s*=|["']use strict["'])|^\s*(?:(?:const|let|var)\s+[\w${[].*=|(?:async\s+)?function\b.*\{$|return\b.*;$|\}\)?[;,]$|.*=>\s*[{(]?$)/,
    symbol:
      /^(\s*)(?:export\s+)?(?:default\s+)?(?:async\s+)?(function|class)\b\*?\s+([\w$]+)|^()(?:export\s+)?(const|let|var)\s+([\w$]+)|^(\s+)(?:(?:public|private|protected|static|async|get|set|override)\s+)*()(?!(?:if|for|while|switch|catch|function|return|await)\b)([\w$#]+)\([^)]*\)(?::[^{]*)?\s\{$|^(\s*)(test|it|describe)\b[.\w]*\(\s*["'`](.{1,60}?)["'`],/,
  },
  {
    name: "Python",
    signal:
      /^\s*(?:(?:async\s+)?def\s+\w+\(|class\s+\w+.*:\s*$|from\s+[\w.]+\s+import\s|import\s+[\w.]+\s*$|(?:el)?if\s.*:\s*$|else:\s*$|for\s.*\sin\s.*:\s*$|try:\s*$|except\b.*:\s*$|with\s.*:\s*$|self\.\w+|raise\s+\w+|@\w+)/,
    symbol: /^(\s*)(?:async\s+)?(def|class)\s+(\w+)/,
  },
  {
    name: "Go",
    signal:
      /^(?:package\s+\w+\s*$|import\s+[("]|func\s|type\s+\w+\s+(?:struct|interface)\b)|:=|^\s*(?:if err\b|defer\s|go func)/,
    symbol: /^()(func)\s+(?:\([^)]*\)\s*)?(\w+)|^()(type)\s+(\w+)/,
  },
  {
    name: "Rust",
    signal:
      /^\s*(?:use\s+[\w:]+.*;|pub(?:\(\w+\))?\s+(?:fn|struct|enum|mod|trait|use|const|type)\b|fn\s+\w+|impl\b.*\{|let\s+(?:mut\s+)?\w+.*;|#!?\[\w+|match\s.*\{|mod\s+\w+;)/,
    symbol:
      /^(\s*)(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(fn|struct|enum|trait|mod|impl)\b(?:<[^>]*>)?\s+([\w:]+)/,
  },
  {
    name: "Java, C# or Kotlin",
    signal:
      /^\s*(?:package\s+[\w.]+;?\s*$|import\s+(?:static\s+)?[\w.*]+;?\s*$|using\s+[\w.]+;|namespace\s+[\w.]+|(?:public|private|protected|internal)\s+\w|@Override|(?:override\s+|suspend\s+|private\s+)*fun\s+\w)/,
    symbol:
      /^(\s*)(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|data|override|partial|suspend)\s+)*(class|interface|enum|record|object|struct|fun)\s+(\w+)|^(\s+)(?:(?:public|private|protected|internal|static|final|synchronized|override|async|virtual)\s+)+[\w<>[\],.?]+\s+()(\w+)\(/,
  },
  {
    name: "C or C++",
    signal:
      /^\s*#\s?(?:include|define|ifdef|ifndef|endif|pragma|undef)\b|^(?:static|extern|inline|typedef|namespace|template\s*<)\b|^\s*(?:std::|(?:unsigned|const char|size_t|uint\d+_t|struct \w+)\b.*;|return\b.*;$)|\w->\w/,
    symbol:
      /^()(?:typedef\s+)?(struct|class|enum|union|namespace)\s+(\w+)|^()(?:static\s+|inline\s+|extern\s+)*(?:[\w:<>*&]+\s+)+()\**(\w[\w:~]*)\([^;]*$/,
  },
  {
    name: "Ruby",
    signal:
      /^\s*(?:require(?:_relative)?\s+["']|def\s+(?:self\.)?\w+[?!]?(?:\(.*\))?\s*$|end\s*$|module\s+[A-Z]|attr_\w+\s+:|.*\bdo\s*(?:\|.*\|)?\s*$)/,
    symbol: /^(\s*)(def|class|module)\s+([\w.:?!]+)/,
  },
  {
    name: "PHP",
    signal:
      /^\s*(?:<\?php|use\s+[\w\\]+;|namespace\s+[\w\\]+;|\$\w+.*;|(?:public|private|protected)\s+(?:static\s+)?function\b|return\s+\$)/,
    symbol: /^(\s*)(?:(?:public|private|protected|static|abstract|final)\s+)*(function|class|interface|trait)\s+(\w+)/,
  },
  {
    name: "shell script",
    signal:
      /^#!.*\bsh\b|^\s*(?:fi|done|esac|then|set -\w+|export\s+\w+=|local\s+\w+|echo\s|if\s+\[|for\s+\w+\s+in\s|\w+=(?:"|\$))/,
    symbol: /^(\s*)(?:(function)\s+)?([\w-]+)\s*\(\)\s*\{?\s*$/,
  },
  {
    name: "SQL",
    signal:
      /^\s*(?:create|alter|drop|insert\s+into|select|from|where|primary\s+key|foreign\s+key|values)\b.*(?:[;,(]|$)/i,
    symbol:
      /^(\s*)create\s+(?:or\s+replace\s+)?(?:unique\s+|virtual\s+|temp(?:orary)?\s+)?(table|view|index|function|trigger|procedure)\s+(?:if\s+not\s+exists\s+)?([\w."`[\]]+)/i,
  },
];
