use super::*;

#[test]
fn a_wrong_token_is_refused_even_beside_a_certificate() {
    let mut tokens = Tokens::default();
    tokens.insert("secret", User::new("ada", &["g"]));
    let certificate = User::new("cert", &[]);
    let with =
        |authorization: &str| Headers { authorization: authorization.to_owned(), ..Headers::default() };
    assert_eq!(tokens.authenticate(None, &with("Bearer secret")).unwrap().name, "ada");
    assert_eq!(tokens.authenticate(Some(&certificate), &with("")).unwrap().name, "cert");
    assert_eq!(tokens.authenticate(Some(&certificate), &with("Bearer wrong")).unwrap_err().code, 401);
    assert_eq!(tokens.authenticate(None, &with("")).unwrap_err().code, 401);
}
