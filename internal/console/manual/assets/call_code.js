// Writes a call as a program: curl, Go, JavaScript and Python. Texts may name variables
// of demo.env, such as $STOA_TOKEN; a program takes them from its environment, so that
// no secret stands in it.
'use strict';

const environment = /\$(STOA_[A-Z_]+)\b/;

// pieces are the texts and the names of variables that a text consists of, in turn.
function pieces(text) {
  return text.split(environment).map((piece, i) => ({piece, named: i % 2 === 1})).filter(({piece}) => piece !== '');
}

// joined is an expression of a language in which + joins texts.
function joined(text, variable) {
  const parts = pieces(text).map(({piece, named}) => (named ? variable(piece) : JSON.stringify(piece)));
  return parts.join(' + ') || '""';
}

function quotedForShell(text) {
  if (!environment.test(text)) return "'" + text.replaceAll("'", "'\\''") + "'";
  return '"' + pieces(text).map(({piece, named}) => (named ? '${' + piece + '}' : piece.replace(/[\\"$`]/g, '\\$&'))).join('') + '"';
}

const writers = {
  curl({method, url, headers, body}) {
    const lines = [`curl -X ${method} ${quotedForShell(url)}`];
    for (const [name, value] of headers) lines.push('-H ' + quotedForShell(`${name}: ${value}`));
    if (body !== null) lines.push('--data-raw ' + quotedForShell(body));
    return lines.join(' \\\n  ');
  },

  Go({method, url, headers, body}) {
    const variable = name => `os.Getenv("${name}")`;
    const reader = body === null ? 'nil' : `strings.NewReader(${joined(body, variable)})`;
    const all = [url, body ?? '', ...headers.map(([, value]) => value)].join('');
    const packages = ['fmt', 'io', 'log', 'net/http'];
    if (environment.test(all)) packages.push('os');
    if (body !== null) packages.push('strings');
    return `package main

import (
${packages.map(name => `\t"${name}"`).join('\n')}
)

func main() {
	request, err := http.NewRequest("${method}", ${joined(url, variable)}, ${reader})
	if err != nil {
		log.Fatal(err)
	}
${headers.map(([name, value]) => `\trequest.Header.Set(${JSON.stringify(name)}, ${joined(value, variable)})\n`).join('')}\
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status)
	fmt.Println(string(text))
}`;
  },

  JavaScript({method, url, headers, body}) {
    const variable = name => 'process.env.' + name;
    const options = [`  method: "${method}",`];
    if (headers.length) {
      options.push('  headers: {', ...headers.map(([name, value]) => `    ${JSON.stringify(name)}: ${joined(value, variable)},`), '  },');
    }
    if (body !== null) options.push(`  body: ${joined(body, variable)},`);
    return `const response = await fetch(${joined(url, variable)}, {
${options.join('\n')}
});
console.log(response.status);
console.log(await response.text());`;
  },

  Python({method, url, headers, body}) {
    const variable = name => `os.environ["${name}"]`;
    const options = [`    method="${method}",`];
    if (headers.length) {
      options.push('    headers={', ...headers.map(([name, value]) => `        ${JSON.stringify(name)}: ${joined(value, variable)},`), '    },');
    }
    if (body !== null) options.push(`    data=(${joined(body, variable)}).encode(),`);
    return `import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    ${joined(url, variable)},
${options.join('\n')}
)
try:
    with urllib.request.urlopen(request) as response:
        print(response.status)
        print(response.read().decode())
except urllib.error.HTTPError as refused:
    print(refused.code)
    print(refused.read().decode())`;
  },
};

function callCode(language, call) {
  return writers[language](call) + '\n';
}
