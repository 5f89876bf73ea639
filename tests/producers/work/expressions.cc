#include <map>
#include <string>
#include <vector>
#include <algorithm>
#include <sstream>
#include <iostream>
#include <regex>
#include <memory>
#include <functional>
#include <unordered_map>
struct Node {
	virtual ~Node() = default;
	virtual long eval(std::map<std::string, long> &) const = 0;
	virtual void print(std::ostream &) const = 0;
};
using P = std::unique_ptr<Node>;
struct Num : Node {
	long v;
	Num(long x) : v(x)
	{
	}
	long eval(std::map<std::string, long> &) const override
	{
		return v;
	}
	void print(std::ostream &o) const override
	{
		o << v;
	}
};
struct Var : Node {
	std::string n;
	Var(std::string s) : n(std::move(s))
	{
	}
	long eval(std::map<std::string, long> &m) const override
	{
		return m[n];
	}
	void print(std::ostream &o) const override
	{
		o << n;
	}
};
struct Bin : Node {
	char op;
	P a, b;
	Bin(char c, P x, P y) : op(c), a(std::move(x)), b(std::move(y))
	{
	}
	long eval(std::map<std::string, long> &m) const override
	{
		long x = a->eval(m), y = b->eval(m);
		return op == '+' ? x + y : op == '-' ? x - y : x * y % 10007;
	}
	void print(std::ostream &o) const override
	{
		o << '(';
		a->print(o);
		o << op;
		b->print(o);
		o << ')';
	}
};
struct Parser {
	const std::string &s;
	size_t i = 0;
	P expr()
	{
		P l = term();
		while (i < s.size() && (s[i] == '+' || s[i] == '-')) {
			char c = s[i++];
			l = std::make_unique<Bin>(c, std::move(l), term());
		}
		return l;
	}
	P term()
	{
		P l = fact();
		while (i < s.size() && s[i] == '*') {
			i++;
			l = std::make_unique<Bin>('*', std::move(l), fact());
		}
		return l;
	}
	P fact()
	{
		if (s[i] == '(') {
			i++;
			P e = expr();
			i++;
			return e;
		}
		if (isdigit(s[i])) {
			long v = 0;
			while (i < s.size() && isdigit(s[i]))
				v = v * 10 + (s[i++] - '0');
			return std::make_unique<Num>(v);
		}
		std::string n;
		while (i < s.size() && isalpha(s[i]))
			n += s[i++];
		return std::make_unique<Var>(n);
	}
};
template <class T> long total(const std::vector<T> &v, std::function<long(const T &)> f)
{
	long t = 0;
	for (auto &x : v)
		t += f(x);
	return t;
}
int main()
{
	std::map<std::string, long> env;
	std::vector<std::string> out;
	long sum = 0;
	for (int i = 0; i < 60; i++) {
		std::string s = "(" + std::to_string(i) + "+x)*(y-" +
				std::to_string(i * 3) + "*(ab+2))+z*z";
		Parser p{s};
		P e = p.expr();
		env["x"] = i;
		env["y"] = i * i;
		sum += e->eval(env);
		std::ostringstream o;
		e->print(o);
		out.push_back(o.str());
	}
	std::sort(out.begin(), out.end());
	std::sort(out.begin(), out.end(), [](const std::string &a, const std::string &b) {
		return a.size() < b.size();
	});
	std::regex r("([a-z]+)\\*([0-9]+)?");
	for (int i = 0; i < 8; i++) {
		sum += std::regex_search(out[i], r);
		out[i] = std::regex_replace(out[i], r, "<$1>");
	}
	std::unordered_map<std::string, int> c;
	for (auto &s : out)
		for (size_t i = 0; i + 3 < s.size(); i += 3)
			c[s.substr(i, 3)]++;
	sum += total<std::string>(out,
				  [](const std::string &s) { return (long)s.size(); });
	std::cout << sum << ' ' << c.size() << '\n';
}
