//! Tokens against certificates, and the tokens of projects.

use super::*;

#[test]
fn a_certificate_counts_before_any_token() {
    let mut tokens = Tokens::default();
    tokens.insert("secret", User::new("ada", &["g"]));
    let certificate = User::new("cert", &[]);
    let with =
        |authorization: &str| Headers { authorization: authorization.to_owned(), ..Headers::default() };
    assert_eq!(tokens.authenticate(None, &with("Bearer secret")).unwrap().name, "ada");
    assert_eq!(tokens.authenticate(Some(&certificate), &with("")).unwrap().name, "cert");
    for token in ["Bearer secret", "Bearer wrong"] {
        assert_eq!(tokens.authenticate(Some(&certificate), &with(token)).unwrap().name, "cert");
    }
    assert_eq!(tokens.authenticate(None, &with("Bearer wrong")).unwrap_err().code, 401);
    assert_eq!(tokens.authenticate(None, &with("")).unwrap_err().code, 401);
}

#[test]
fn project_tokens_follow_from_the_secret_and_nothing_else() {
    let mut tokens = Tokens::default();
    let token = project_token("s", "org/p");
    assert_eq!(tokens.find(&token), None, "without a secret no project is known");
    tokens.accept_projects("s");
    assert_eq!(tokens.find(&token).unwrap().name, "project:org/p");
    assert_eq!(tokens.find(&project_token("other", "org/p")), None);
    assert_eq!(tokens.find(&token.replace("org/p", "org/q")), None);
}
